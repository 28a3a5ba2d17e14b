-- Wake-ups of chat threads, and which of them have fired. Times are milliseconds since 1970.
create table schedules (
  id text primary key,
  call_key text not null unique,
  thread_id text not null,
  person text not null,
  kind text not null,
  spec text not null,
  zone text not null,
  text text not null,
  missed text not null,
  made_at integer not null,
  crc integer not null,
  state text not null,
  next_at integer not null
) without rowid;
create index schedules_due on schedules (next_at) where state = 'ACTIVE';
create index schedules_thread on schedules (thread_id) where state = 'ACTIVE';

-- One row for each due time that was dealt with, whether it fired or was skipped: none fires twice.
create table firings (
  no integer primary key,
  schedule_id text not null,
  due integer not null,
  at integer not null,
  event_id text not null
);
create unique index firings_due on firings (schedule_id, due);
create index firings_event on firings (event_id);

-- Who was spoken with: budgets of people are sums over this.
alter table model_calls add column person text not null default '';
create index model_calls_person on model_calls (person, at);
create index model_calls_thread on model_calls (thread_id, at);

-- What people were told once, such as that a budget is used up.
create table told (
  what text primary key,
  at integer not null
) without rowid;

pragma user_version = 4;
