-- Questions to people about tool calls that wait. Times are milliseconds since 1970.
create table approvals (
  id text primary key,
  code text not null,
  event_id text not null,
  thread_id text not null,
  call_key text not null unique,
  tool text not null,
  arguments_hash text not null,
  shown text not null,
  person text not null,
  state text not null,
  asked_at integer not null,
  expires_at integer not null,
  decided_by text not null default ''
) without rowid;
create index approvals_waiting on approvals (thread_id, code) where state = 'WAITING';

pragma user_version = 2;
