"""What runs in the database: functions (re-applied at each upgrade) and named queries."""
