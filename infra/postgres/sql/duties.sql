-- note_server: Say that a server is alive for some seconds, and count all that are.
WITH noted AS (
    INSERT INTO liarsdice.servers AS known (server_id, until)
    VALUES ($1, clock_timestamp() + make_interval(secs => $2))
    ON CONFLICT (server_id) DO UPDATE SET until = excluded.until
), forgotten AS (
    DELETE FROM liarsdice.servers WHERE until < clock_timestamp() - interval '1 hour' AND server_id <> $1
)
SELECT 1 + count(*) FROM liarsdice.servers WHERE until > clock_timestamp() AND server_id <> $1

-- forget_server: Say that a server has ended.
DELETE FROM liarsdice.servers WHERE server_id = $1

-- renew_duty: Keep a lane for some more seconds; no row if another server has taken it over.
UPDATE {lane}.duty SET until = clock_timestamp() + make_interval(secs => $2)
WHERE term = $1 RETURNING term

-- take_duty: Take a lane that nobody keeps; no row if somebody does, or is just writing or taking it.
UPDATE {lane}.duty SET term = term + 1, until = clock_timestamp() + make_interval(secs => $1)
WHERE (SELECT until < clock_timestamp() FROM {lane}.duty FOR UPDATE SKIP LOCKED) RETURNING term

-- give_up_duty: Let others take a lane at once.
UPDATE {lane}.duty SET until = '-infinity' WHERE term = $1

-- check_duty: Whether a term still holds; if so, nobody takes the lane over until this transaction has ended.
SELECT true FROM {lane}.duty WHERE term = $1 FOR SHARE
