-- The event of a wake-up's last firing: while it is open, the wake-up makes no second one.
alter table schedules add column event_id text not null default '';
update schedules set event_id = coalesce(
  (select f.event_id from firings f
   where f.schedule_id = schedules.id and f.event_id <> '' order by f.no desc limit 1), '');

pragma user_version = 7;
