-- for each lane
-- Events up to this position were stored before there were digests; every event after it has one.

INSERT INTO liarsdice.settings (name, value)
SELECT 'digests of {lane} begin after', position FROM {lane}.head;
