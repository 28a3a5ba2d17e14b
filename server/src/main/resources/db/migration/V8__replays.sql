-- How often an event came back from the dead letters: what is said in each of its lives has ids of its own.
alter table events add column replays integer not null default 0;
update events set replays =
  (select count(*) from dead_letters d where d.event_id = events.id and d.kind = 'event' and d.replayed = 1)
where id in (select event_id from dead_letters where kind = 'event' and replayed = 1);

pragma user_version = 8;
