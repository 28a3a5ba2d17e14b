-- What people and tools changed, as a chain: each row's hash covers the whole row and the hash before
-- it. The head of the chain stands in meta, so that a cut tail is found as well. Times are milliseconds
-- since 1970. Rows are added and never changed or deleted; the triggers keep mistakes out, the chain
-- finds intent.
create table audit (
  no integer primary key,
  at integer not null,
  what text not null,
  execution text not null,
  event_id text not null,
  thread_id text not null,
  actor text not null,
  details text not null,
  hash text not null
) strict;
create index audit_execution on audit (execution) where execution <> '';

create trigger audit_unchanged before update on audit
begin
  select raise(abort, 'rows of the audit are never changed');
end;

create trigger audit_kept before delete on audit
begin
  select raise(abort, 'rows of the audit are never deleted');
end;

insert into meta (name, value)
  values ('audit', '0 0000000000000000000000000000000000000000000000000000000000000000');

-- What exactly a person is asked to allow, without secrets.
alter table approvals add column arguments text not null default '';
create index approvals_event on approvals (event_id) where state = 'WAITING';

pragma user_version = 3;
