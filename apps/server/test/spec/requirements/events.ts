import { defineRequirements } from '../requirement.ts'

/** §6.1, 6.2: records and streams. */
export const EVENTS = defineRequirements([
  {
    id: 'events:outbound:none',
    section: '6.1',
    behavior: 'The server calls no webhooks and offers no subscription to events.',
    state: 'built',
  },
  {
    id: 'events:pii:recorded',
    section: '6.1',
    behavior: 'Redactions, blocks and allowed detections are recorded as PII events.',
    state: 'built',
  },
  {
    id: 'events:pii:origin',
    section: '6.1',
    behavior: 'The origin of a PII event is `middleware`, `proxy`, `pii_analyze` or `pii_redact`.',
    state: 'built',
  },
  {
    id: 'events:pii:offsets',
    section: '6.1',
    behavior: 'Offsets of a PII event count inside its message.',
    state: 'built',
  },
  {
    id: 'events:pii:kept',
    section: '6.1',
    behavior: 'PII events are kept to 10,000 rows or 30 days.',
    state: 'built',
  },
  {
    id: 'events:changes:every-route',
    section: '6.1',
    behavior: 'Every route for admins that changes something leaves an entry in the audit log, before it answers.',
    state: 'built',
  },
  {
    id: 'events:changes:facts',
    section: '6.1',
    behavior:
      'An entry says who changed what, when and from which address, and the outcome; it holds no secret and no text.',
    state: 'built',
  },
  {
    id: 'events:changes:filters',
    section: '6.1',
    behavior: 'Admins read changes, and filter them by caller, name or area, target and time.',
    state: 'built',
  },
  {
    id: 'events:changes:command',
    section: '6.1',
    behavior: 'Changes by commands leave entries of the origin `command`, with the user of the operating system.',
    state: 'built',
  },
  {
    id: 'events:changes:kept',
    section: '6.1',
    behavior:
      'Changes are kept like PII events, and other events do not push them out. Changes by one account that is not an admin do not push out those of other accounts.',
    state: 'built',
  },
  {
    id: 'events:pii:in-memory',
    section: '6.1',
    behavior: 'Where there is no database on disk, PII events are kept in memory.',
    state: 'built',
  },
  {
    id: 'events:routing:each',
    section: '6.1',
    behavior: 'Each classified request leaves one routing decision.',
    state: 'built',
  },
  {
    id: 'events:routing:in-memory',
    section: '6.1',
    behavior: 'Routing decisions are held in memory only.',
    state: 'built',
  },
  {
    id: 'events:usage:rows',
    section: '6.1',
    behavior: 'With accounts on, each tracked inference request leaves a usage row.',
    state: 'built',
  },
  {
    id: 'chat:stream:sse',
    section: '6.2',
    behavior: 'A streamed chat is answered with server-sent events.',
    state: 'built',
  },
  {
    id: 'chat:stream:chunks',
    section: '6.2',
    behavior: 'Events of a streamed chat are `chat.completion.chunk` objects and end with `[DONE]`.',
    state: 'built',
  },
  {
    id: 'chat:stream:first-failure',
    section: '6.2',
    behavior:
      'A chat that fails before its first event is answered with a real status: headers wait for the first event.',
    state: 'built',
  },
  {
    id: 'chat:stream:later-failure',
    section: '6.2',
    behavior: 'A failure after the first event is an event of the stream, in its format.',
    state: 'built',
  },
  {
    id: 'responses:stream:replay',
    section: '6.2',
    behavior: 'A response made with `stream=true` can be replayed from any event.',
    state: 'built',
  },
  {
    id: 'responses:socket:filtered-model',
    section: '6.2',
    behavior: 'Creating a response over the WebSocket for a filtered model is refused as `pii_unsupported_transport`.',
    state: 'built',
  },
])
