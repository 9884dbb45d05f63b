/** One turn of a conversation for templates. Empty fields other than the content count as absent. */
export interface ChatTurn {
  /** `developer` counts as `system`. */
  readonly role: string
  readonly content: string | null
  readonly name?: string | undefined
  /** The call that a turn of the role `tool` answers. */
  readonly tool_call_id?: string | undefined
  readonly reasoning_content?: string | undefined
  /** Calls as the compatible format writes them; arguments may be JSON text or a value. */
  readonly tool_calls?: readonly unknown[] | undefined
}

/** A conversation to render. */
export interface ChatConversation {
  readonly messages: readonly ChatTurn[]
  /** Declarations as the compatible format writes them. */
  readonly tools: readonly unknown[] | null
}

/** The parts of a call that templates show. */
export interface ChatCall {
  readonly id: string
  readonly name: string
  readonly arguments: unknown
}

/** Joins texts with a blank line; empty ones are left out. */
export function joinTexts(...texts: readonly (string | null | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== null && text !== '').join('\n\n')
}

/** Whether a turn has calls. */
export function hasCalls(turn: ChatTurn | undefined): boolean {
  return turn?.role === 'assistant' && (turn.tool_calls?.length ?? 0) > 0
}

/** Reads an object's members, for any parser. Undefined for a value that is not an object. */
export function toEntries(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (value instanceof Map) return value
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? new Map(Object.entries(value))
    : undefined
}

/** Reads a call. Its parts are under `function`, or beside the id. */
export function readCall(call: unknown): ChatCall {
  const entries = toEntries(call)
  const called = toEntries(entries?.get('function')) ?? entries
  return {
    id: toText(entries?.get('id')),
    name: toText(called?.get('name')),
    arguments: called?.get('arguments'),
  }
}

/** A copy of a call with another id and arguments. The index of the wire format is left out: no template knows it. */
export function writeCall(call: unknown, { id, arguments: value }: Omit<ChatCall, 'name'>): unknown {
  const entries = toEntries(call)
  if (entries === undefined) return call
  const copy = new Map(entries)
  copy.delete('index')
  if (entries.has('id') || id !== '') copy.set('id', id)
  const called = toEntries(entries.get('function'))
  return called === undefined
    ? copy.set('arguments', value)
    : copy.set('function', new Map(called).set('arguments', value))
}

/** A turn as templates see it. They test with `is defined`, so absent fields stay absent. */
export function toTemplateTurn(turn: ChatTurn): ReadonlyMap<string, unknown> {
  const { tool_calls: calls, ...rest } = turn
  const entries = Object.entries(rest).filter(([key, value]) => key === 'content' || (value ?? '') !== '')
  return new Map<string, unknown>(calls?.length ? [...entries, ['tool_calls', calls]] : entries)
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
