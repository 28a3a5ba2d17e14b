-- Small mutable rows are kept apart from their large, never changing payloads, so that a change of
-- state rewrites a few bytes. Times are milliseconds since 1970. States are the ordinals of their enums.
create table meta (
  name text primary key,
  value text not null
) without rowid;

create table counters (
  name text primary key,
  n integer not null
) without rowid;

create table sources (
  no integer primary key,
  source text not null unique
);

create table threads (
  no integer primary key,
  thread_id text not null unique,
  last_at integer not null,
  events integer not null
);

create table events (
  seq integer primary key,
  id text not null,
  source integer not null,
  thread integer not null,
  dedupe_key text not null,
  dedupe_hash blob not null,
  received_at integer not null,
  crc integer not null,
  state integer not null default 0,
  outcome integer not null default 0,
  attempts integer not null default 0,
  told integer not null default 0,
  damaged integer not null default 0,
  reason text not null default ''
);
create unique index events_id on events (id);
create unique index events_dedupe on events (dedupe_hash);
-- One index serves both the open events of a thread and all of them: each index costs a page per event.
create index events_thread on events (thread, state < 3, seq);
create index events_open on events (seq) where state < 3;

create table payloads (
  seq integer primary key,
  payload text not null
);

create table replies (
  seq integer primary key,
  id text not null,
  event_id text not null,
  source text not null,
  thread integer not null,
  address text not null,
  in_reply_to text not null,
  text text not null,
  part integer not null,
  parts integer not null,
  delivered integer not null,
  crc integer not null,
  ends integer not null,
  state integer not null,
  attempts integer not null default 0,
  unknowns integer not null default 0,
  resent integer not null default 0,
  damaged integer not null default 0,
  planned_at integer not null,
  next_at integer not null,
  detail text not null default ''
);
create unique index replies_id on replies (id);
create index replies_event on replies (event_id, seq);
create index replies_thread on replies (thread, seq);
create index replies_open on replies (seq) where state in (0, 1, 4, 5);
create index replies_open_thread on replies (thread, seq) where state in (0, 1, 4, 5);

create table stories (
  no integer primary key,
  event_id text not null,
  at integer not null,
  what text not null,
  json text not null
);
create index stories_event on stories (event_id);

create table model_calls (
  no integer primary key,
  event_id text not null,
  thread_id text not null,
  at integer not null,
  provider text not null,
  model text not null,
  outcome text not null,
  input_tokens integer not null,
  output_tokens integer not null,
  cache_read_tokens integer not null,
  cache_write_tokens integer not null,
  cost_usd real not null,
  first_token_millis integer not null,
  millis integer not null
);
create index model_calls_event on model_calls (event_id);
create index model_calls_at on model_calls (at);

create table dead_letters (
  no integer primary key,
  id text not null unique,
  kind text not null,
  ref integer not null,
  event_id text not null,
  dedupe_key text not null,
  thread_id text not null,
  reason text not null,
  payload text not null,
  attempts integer not null,
  at integer not null,
  damaged integer not null default 0,
  replayed integer not null default 0
);
create index dead_letters_open on dead_letters (at) where replayed = 0;
create index dead_letters_event on dead_letters (event_id);

pragma user_version = 1;
