// The server's HTTP API. Each function resolves with the answer's body or rejects with an ApiError.

/** A request that did not succeed. `status` is 0 when no answer came at all. */
export class ApiError extends Error {
  constructor(status, code, message, retryAfterMs = 0, details = {}) {
    super(message);
    this.details = details;
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same request may succeed later. */
  get passing() {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

let reader = '';
let onEnd = () => {};

/** From here on every request says for whom it is made, and the server refuses it once another is logged in. */
export const readFor = (person) => (reader = person);

/** `hear`: is called when a request shows that the login has ended, or is another's by now. */
export const whenLoginEnds = (hear) => (onEnd = hear);

export const forReader = () => (reader ? { 'Holdfast-Reader': reader } : {});

const ANSWER_TIMEOUT_MS = 20_000;

const UPLOAD_TIMEOUT_MS = 120_000;

const call = (method, path, body) =>
  request(method, path, body === undefined ? undefined : JSON.stringify(body), 'application/json', ANSWER_TIMEOUT_MS);

async function request(method, path, body, type, timeout) {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: { ...forReader(), ...(body !== undefined && { 'Content-Type': type }) },
      body,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.timeout(timeout),
    });
  } catch (failure) {
    const code = failure.name === 'TimeoutError' ? 'TIMEOUT' : 'NETWORK';
    throw new ApiError(0, code, 'The server did not answer.');
  }
  if (!response.ok) {
    throw await refusal(response);
  }
  if (response.status === 204) {
    return null;
  }
  try {
    return await response.json();
  } catch {
    throw new ApiError(0, 'NETWORK', 'The answer was cut off.');
  }
}

/** What the server said when it refused, as an ApiError. */
export async function refusal(response) {
  if (response.status === 401 && reader) {
    onEnd();
  }
  let error = {};
  try {
    error = (await response.json()).error ?? {};
  } catch {
    // A proxy in between may answer with a page of its own.
  }
  return new ApiError(response.status, error.code ?? '', error.message ?? '', waitOf(response), error.details ?? {});
}

/** Retry-After in milliseconds, 0 when there is none; it is seconds or a date. */
function waitOf(response) {
  const value = response.headers.get('Retry-After');
  if (!value) {
    return 0;
  }
  const millis = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(millis) ? Math.min(Math.max(millis, 0), 120_000) : 0;
}

const early = new Map();

/** Makes a request before what needs its answer is there: the first to ask for `path` gets it. */
export function askEarly(path) {
  const answer = call('GET', path);
  answer.catch(() => {}); // whoever asks will hear of it
  early.set(path, answer);
}

function get(path) {
  const answer = early.get(path) ?? call('GET', path);
  early.delete(path);
  return answer;
}

const threadPath = (id) => `/api/v1/threads/${encodeURIComponent(id)}`;
const LIST_PAGE = 100;
export const LOG_PAGE = 200;

/** Where that is asked for which the page shows first. */
export const paths = {
  status: '/api/v1/status',
  threads: ({ archived, after }) =>
    `/api/v1/threads?${new URLSearchParams({ limit: LIST_PAGE, archived: archived ? 'only' : 'without', ...(after && { after }) })}`,
  log: (id, limit = LOG_PAGE, before = '') => `${threadPath(id)}/log?limit=${limit}${before && `&before=${encodeURIComponent(before)}`}`,
};

export const login = (credentials) => call('POST', '/login', credentials);
export const logout = () => call('POST', '/logout', {});
export const status = () => get(paths.status);
/** Answers {conditions}: what is not well. */
export const conditions = () => call('GET', '/api/v1/conditions');
/** A page of threads, the one with the newest message first. `after`: the `next` of the page before. */
export const threads = (page) => get(paths.threads(page));
export const rename = (id, title) => call('POST', `${threadPath(id)}/rename`, { title });
export const archive = (id, archived) => call('POST', `${threadPath(id)}/archive`, { archived });
export const deleteThread = (id) => call('DELETE', threadPath(id));
export const exportUrl = (id, format) => `${threadPath(id)}/export?format=${format}`;
/** Answers {hits, next, unread}. `before`: the `next` of the page before. */
export const search = (words, before) =>
  call('GET', `/api/v1/search?${new URLSearchParams({ q: words, limit: 30, ...(before && { before }) })}`);
export const thread = (id) => call('GET', threadPath(id));
/** `before`: the `next` of the page behind it. */
export const log = (id, limit, before) => get(paths.log(id, limit, before));
export const stop = (id, all) => call('POST', `${threadPath(id)}/stop`, { all });
export const story = (eventId) => call('GET', `/api/v1/events/${encodeURIComponent(eventId)}`);
/** A thread's tool calls that a person was asked about, newest first, with what became of them. */
export const approvals = (threadId) => call('GET', `/api/v1/approvals?state=all&thread=${encodeURIComponent(threadId)}`);
export const decide = (id, yes) => call('POST', `/api/v1/approvals/${encodeURIComponent(id)}/${yes ? 'approve' : 'deny'}`, {});
const planPath = (id) => `/api/v1/plans/${encodeURIComponent(id)}`;
const taskPath = (id) => `/api/v1/tasks/${encodeURIComponent(id)}`;
/** Plans without their steps, newest first. `thread`: only this one's; `before`: the last one of the page before. */
export const plans = ({ state, limit, thread, before }) =>
  call('GET', `/api/v1/plans?${new URLSearchParams({ state, limit, ...(thread && { thread }), ...(before && { before }) })}`);
/** With its steps and every move. */
export const plan = (id) => call('GET', planPath(id));
export const cancelPlan = (id) => call('POST', `${planPath(id)}/cancel`, {});
/** Tasks that a person is asked about. */
export const waitingTasks = (limit) => call('GET', `/api/v1/tasks?state=awaiting_input&limit=${limit}`);
export const answerTask = (id, answer) => call('POST', `${taskPath(id)}/input`, { answer });
/** Answers the new plan. */
export const retryTask = (id) => call('POST', `${taskPath(id)}/retry`, {});
/** Undoes what a tool call changed; `force` also over what was changed since. */
export const rollBack = (execution, force) =>
  call('POST', `/api/v1/executions/${encodeURIComponent(execution)}/rollback`, { force });
/** `files`: as upload answered; `options`: {supersedes, force}. */
export const send = (id, text, dedupeKey, files = [], options = {}) =>
  call('POST', `${threadPath(id)}/messages`, {
    text,
    dedupe_key: dedupeKey,
    ...options,
    ...(files.length > 0 && { attachments: files.map(({ file, name }) => ({ file, name })) }),
  });
/** Answers {file, name, media_type, bytes}. */
export const upload = (id, file) =>
  request(
    'POST',
    `${threadPath(id)}/attachments?name=${encodeURIComponent(file.name || 'file')}`,
    file,
    'application/octet-stream',
    UPLOAD_TIMEOUT_MS,
  );
export const fileUrl = (id, file) => `${threadPath(id)}/attachments/${encodeURIComponent(file)}`;
