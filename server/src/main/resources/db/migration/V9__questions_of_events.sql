-- The end of an event withdraws the questions about its calls, those that were answered too.
drop index approvals_event;
create index approvals_event on approvals (event_id);

pragma user_version = 9;
