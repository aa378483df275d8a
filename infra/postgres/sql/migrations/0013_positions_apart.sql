-- for each lane
-- The log and the projector note how far they have come in one table. Each writes only its own rows: a position of the
-- log that somebody else moves forward would keep rounds out of the log.

GRANT USAGE ON SCHEMA {lane} TO liarsdice_log;
GRANT SELECT, INSERT, UPDATE ON {lane}.notification_tracking TO liarsdice_log;

ALTER TABLE {lane}.notification_tracking ENABLE ROW LEVEL SECURITY;
CREATE POLICY readable ON {lane}.notification_tracking FOR SELECT USING (true);
CREATE POLICY of_log ON {lane}.notification_tracking TO liarsdice_log USING (application_name = 'audit log');
CREATE POLICY of_projector ON {lane}.notification_tracking TO liarsdice_projector USING (application_name <> 'audit log');
