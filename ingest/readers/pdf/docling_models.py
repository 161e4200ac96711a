"""The rules of the PDF reader as engines of docling's pipelines, under the name that their users import."""

from ragraph.pdf.docling_models import RuleLayoutModel, RuleLayoutOptions, RuleTableModel, RuleTableOptions

__all__ = ["RuleLayoutModel", "RuleLayoutOptions", "RuleTableModel", "RuleTableOptions"]
