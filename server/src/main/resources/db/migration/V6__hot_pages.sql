-- What a change of an event costs is the pages that it touches. The keys of most platforms grow with
-- time, so that an index on them stays on few pages, where one on their hashes spread over all. Whether an
-- event is closed has a column of its own: a start of its run changes no index.
alter table events add column closed integer not null default 0;
update events set closed = 1 where state >= 3;

drop index events_dedupe;
create unique index events_key on events (source, dedupe_key);
alter table events drop column dedupe_hash;

drop index events_thread;
create index events_thread on events (thread, closed, seq);
drop index events_open;
create index events_open on events (seq) where closed = 0;

pragma user_version = 6;
