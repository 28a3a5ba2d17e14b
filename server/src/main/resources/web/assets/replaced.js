// What later messages have replaced: it stays in the log and is folded away here; the model does not read it any more.
// Pure data, no page.

/**
 * The items, with those that are replaced folded into one each time, unless `opened` has the message that replaced them.
 *
 * @param items in the order of the log
 * @param opened ids of events
 */
export function withReplaced(items, opened) {
  const by = replacedBy(items);
  if (by.size === 0) {
    return items;
  }
  const shown = [];
  let fold = null;
  for (const item of items) {
    const newer = by.get(item);
    if (!newer) {
      shown.push(item);
      continue;
    }
    if (fold?.eventId !== newer) {
      fold = { key: `replaced ${newer}`, kind: 'replaced', eventId: newer, text: '', at: item.at, state: '', count: 0, open: opened.has(newer) };
      shown.push(fold);
    }
    fold.count += item.kind === 'user' ? 1 : 0;
    fold.version = `${fold.count} ${fold.open}`;
    if (fold.open) {
      shown.push({ ...item, key: `${item.key} replaced`, replaced: true });
    }
  }
  return shown;
}

/** By item: the event of the message that replaced it. Ids of events grow with time. */
function replacedBy(items) {
  const by = new Map();
  let from = '';
  let newer = '';
  for (const item of items.toReversed()) {
    if (from && item.eventId && item.eventId >= from && (!newer || item.eventId < newer)) {
      by.set(item, newer || 'next');
    }
    if (item.supersedes && item.state !== 'failed') {
      const again = by.has(item); // It was replaced itself, and what it had replaced stays so.
      newer = again ? newer : item.eventId;
      from = again && from < item.supersedes ? from : item.supersedes;
    }
  }
  return by;
}

/** Why a message may replace nothing yet, when that is because of what tools did; else empty. */
export function heldBack(error) {
  const effects = error.details?.effects;
  if (!effects) {
    return '';
  }
  return effects.length > 0
    ? `Tools have acted since that message, and replacing it does not undo what they did: ${effects.join(', ')}.`
    : 'It is no longer known what tools have done since that message. Replacing it does not undo it.';
}
