"""Game records in other formats: lines of JSON, tables of all actions, and text for people."""
