"""Game records in the formats that others read: lines of JSON, tables of what was done, and text for people."""
