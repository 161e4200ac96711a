"""How well a store answers judged questions: measures, and questions to begin with."""
