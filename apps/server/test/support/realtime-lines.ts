import { measureSound, type RealtimeEvent } from './realtime-socket.ts'

/** Names of ids: the first item is `i1`, the first response `r1`, the first call `c1`. */
export interface IdNames {
  readonly items: Map<string, string>
  readonly responses: Map<string, string>
  readonly calls: Map<string, string>
}

/** Creates an empty set of names, for one session. */
export function createIdNames(): IdNames {
  return { items: new Map(), responses: new Map(), calls: new Map() }
}

function nameId(names: Map<string, string>, letter: string, id: unknown): string {
  if (id === null) return 'none'
  if (typeof id !== 'string') return String(id)
  const known = names.get(id)
  if (known !== undefined) return known
  names.set(id, `${letter}${names.size + 1}`)
  return names.get(id) ?? ''
}

const record = (value: unknown): Readonly<Record<string, unknown>> => Object(value) as Record<string, unknown>

function writePart(value: unknown): string {
  const { type, text, transcript } = record(value)
  const said = text ?? transcript
  return said === undefined || said === null ? String(type) : `${type} ${JSON.stringify(said)}`
}

function writeItem(value: unknown, names: IdNames): string {
  const { id, type, role, status, content, call_id, name, arguments: given, output } = record(value)
  const parts = Array.isArray(content) ? `[${content.map(writePart).join(', ')}]` : undefined
  const call = call_id === undefined ? undefined : nameId(names.calls, 'c', call_id)
  return [nameId(names.items, 'i', id), role ?? type, status, parts, call, name, given, output]
    .filter((field) => field !== undefined)
    .join(' ')
}

function writeResponse(value: unknown, names: IdNames): string {
  const { id, status, status_details, output, usage } = record(value)
  const { reason, error } = record(status_details)
  const items = Array.isArray(output) ? output.map((item) => nameId(names.items, 'i', record(item).id)) : []
  return [
    nameId(names.responses, 'r', id),
    status,
    reason,
    record(error).code ?? record(error).type,
    items.length > 0 ? `[${items.join(' ')}]` : undefined,
    usage ? 'usage' : undefined,
  ]
    .filter((field) => field !== undefined)
    .join(' ')
}

type Writer = (value: unknown, names: IdNames) => string

/** The fields of events that a line has, in this order. */
const FIELDS: Readonly<Record<string, Writer>> = {
  response: writeResponse,
  response_id: (value, names) => nameId(names.responses, 'r', value),
  item: writeItem,
  item_id: (value, names) => nameId(names.items, 'i', value),
  previous_item_id: (value, names) => `after ${nameId(names.items, 'i', value)}`,
  call_id: (value, names) => nameId(names.calls, 'c', value),
  output_index: (value) => `#${value}`,
  content_index: (value) => `.${value}`,
  part: (value) => writePart(value),
  name: String,
  arguments: String,
  text: (value) => JSON.stringify(value),
  transcript: (value) => JSON.stringify(value),
  audio_start_ms: (value) => `from ${value}`,
  audio_end_ms: (value) => `to ${value}`,
  error: (value) => String(record(value).code ?? record(value).type),
}

function writeLine(event: RealtimeEvent, names: IdNames): string {
  const fields = Object.entries(FIELDS)
    .filter(([field]) => field in event)
    .map(([field, write]) => write(event[field], names))
  return [event.type, ...fields].join(' ')
}

function isSameStream(one: RealtimeEvent, other: RealtimeEvent): boolean {
  return one.type === other.type && one.item_id === other.item_id && one.response_id === other.response_id
}

/**
 * Writes events as lines with named ids. Deltas of one item between two other events are one line for each kind, with
 * their joined text or the milliseconds of their sound.
 */
export function writeLines(events: readonly RealtimeEvent[], names: IdNames): string[] {
  const lines: string[] = []
  let open: { event: RealtimeEvent; deltas: string[] }[] = []
  function closeDeltas(): void {
    for (const { event, deltas } of open) lines.push(`${writeLine(event, names)} ${writeDeltas(event.type, deltas)}`)
    open = []
  }
  for (const event of events) {
    if (typeof event.delta !== 'string') {
      closeDeltas()
      lines.push(writeLine(event, names))
      continue
    }
    const stream = open.find((one) => isSameStream(one.event, event))
    if (stream === undefined) open.push({ event, deltas: [event.delta] })
    else stream.deltas.push(event.delta)
  }
  closeDeltas()
  return lines
}

function writeDeltas(type: string, deltas: readonly string[]): string {
  if (type !== 'response.output_audio.delta') return JSON.stringify(deltas.join(''))
  return `${Math.round(deltas.reduce((sum, delta) => sum + measureSound(delta), 0))} ms`
}
