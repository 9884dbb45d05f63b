import type { JsonNode, JsonValue } from '@svc/json'
import type { LaneKind } from './lane-restorer.ts'

/** The streams of events with known lanes. */
export type ReplyFormat = (typeof REPLY_FORMATS)[number]

/** All of them. */
export const REPLY_FORMATS = ['chat-completions', 'completions', 'messages', 'responses'] as const

/** A piece of a lane's text in an event. */
export interface LanePiece {
  /** The lane; keys consist of parts that end in a slash, the outermost first. */
  readonly key: string
  readonly kind: LaneKind
  readonly node: JsonNode
  /** Creates an event of the same kind with another text for the lane. */
  readonly late: (text: string) => LateEvent
}

/** An event for text that was held until its lane ended. */
export interface LateEvent {
  readonly event?: string | undefined
  readonly data: { [key: string]: JsonValue }
}

/** The lanes of an event. */
export interface ReplyEvent {
  readonly pieces: readonly LanePiece[]
  /** Prefixes of the keys of lanes that end with this event; an empty one ends all. */
  readonly ended: readonly string[]
  /** The reply failed: held text is dropped. */
  readonly isError: boolean
}

const ALL = ''

/** Reads an event of a format. */
export function readReplyEvent(format: ReplyFormat, root: JsonNode): ReplyEvent {
  switch (format) {
    case 'chat-completions':
      return readChoices(root, readDelta)
    case 'completions':
      return readChoices(root, readCompletion)
    case 'messages':
      return readMessagesEvent(root)
    case 'responses':
      return readResponsesEvent(root)
  }
}

/** The text of a choice of a chunk: a string, the name of its lane, and the choice with another text. */
type Found = (name: string, node: JsonNode | undefined, wrap: (text: string) => Members, kind?: LaneKind) => void
type Members = { [key: string]: JsonValue }

function readChoices(root: JsonNode, read: (choice: JsonNode, found: Found) => void): ReplyEvent {
  const pieces: LanePiece[] = []
  const ended: string[] = []
  for (const [position, choice] of [...(root.get('choices')?.items() ?? [])].entries()) {
    const index = readNumber(choice.get('index')) ?? position
    if (choice.get('finish_reason')?.kind === 'string') ended.push(`${index}/`)
    read(choice, (name, node, wrap, kind = 'text') => {
      if (node?.kind !== 'string') return
      const late = (text: string) => ({
        data: { ...readMembers(root, ['choices', 'usage']), choices: [{ index, ...wrap(text), finish_reason: null }] },
      })
      pieces.push({ key: `${index}/${name}/`, kind, node, late })
    })
  }
  return { pieces, ended, isError: isSet(root.get('error')) }
}

function readCompletion(choice: JsonNode, found: Found): void {
  found('text', choice.get('text'), (text) => ({ text, logprobs: null }))
}

const DELTA_TEXTS = ['content', 'reasoning', 'reasoning_content', 'refusal']

function readDelta(choice: JsonNode, found: Found): void {
  const delta = choice.get('delta')
  if (delta === undefined) return
  for (const name of DELTA_TEXTS) found(name, delta.get(name), (text) => ({ delta: { [name]: text } }))
  const call = delta.get('function_call')?.get('arguments')
  found('function_call', call, (text) => ({ delta: { function_call: { arguments: text } } }), 'json')
  const transcript = delta.get('audio')?.get('transcript')
  found('audio', transcript, (text) => ({ delta: { audio: { transcript: text } } }))
  for (const [position, tool] of [...(delta.get('tool_calls')?.items() ?? [])].entries()) {
    const index = readNumber(tool.get('index')) ?? position
    const wrap = (members: Members) => ({ delta: { tool_calls: [{ index, ...members }] } })
    const text = tool.get('function')?.get('arguments')
    found(`call ${index}`, text, (late) => wrap({ function: { arguments: late } }), 'json')
    found(`custom ${index}`, tool.get('custom')?.get('input'), (late) => wrap({ custom: { input: late } }))
  }
}

/** The member of each kind of delta that holds its text. */
const MESSAGES_DELTAS: ReadonlyMap<string, LaneKind> = new Map([
  ['text', 'text'],
  ['thinking', 'text'],
  ['partial_json', 'json'],
])

function readMessagesEvent(root: JsonNode): ReplyEvent {
  const type = readText(root.get('type'))
  const index = readNumber(root.get('index')) ?? 0
  if (type === 'content_block_stop') return { pieces: [], ended: [`${index}/`], isError: false }
  if (type === 'message_delta' || type === 'message_stop') return { pieces: [], ended: [ALL], isError: false }
  if (type !== 'content_block_start' && type !== 'content_block_delta') {
    return { pieces: [], ended: [], isError: type === 'error' }
  }
  const holder = root.get(type === 'content_block_start' ? 'content_block' : 'delta')
  const pieces: LanePiece[] = []
  for (const [name, kind] of MESSAGES_DELTAS) {
    const node = holder?.get(name)
    if (node?.kind !== 'string') continue
    const deltaType = name === 'partial_json' ? 'input_json_delta' : `${name}_delta`
    const late = (text: string) => ({
      event: 'content_block_delta',
      data: { type: 'content_block_delta', index, delta: { type: deltaType, [name]: text } },
    })
    pieces.push({ key: `${index}/${name}/`, kind, node, late })
  }
  return { pieces, ended: [], isError: false }
}

const DELTA = '.delta'
const DONE = '.done'
const TERMINAL: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.cancelled'])

function readResponsesEvent(root: JsonNode): ReplyEvent {
  const type = readText(root.get('type')) ?? ''
  const none = { pieces: [], ended: [], isError: false }
  const places = ['output_index', 'content_index', 'summary_index'].map((name) => readNumber(root.get(name)) ?? '-')
  if (type.endsWith(DELTA)) {
    const node = root.get('delta')
    if (node?.kind !== 'string') return none
    const base = type.slice(0, -DELTA.length)
    const late = (text: string) => ({
      event: type,
      data: { ...readMembers(root, []), delta: text, ...(root.get('logprobs') && { logprobs: [] }) },
    })
    const kind = base.endsWith('arguments') ? 'json' : 'text'
    return { pieces: [{ key: `${places.join('/')}/${base}/`, kind, node, late }], ended: [], isError: false }
  }
  if (type === 'response.output_item.done') return { ...none, ended: [`${places[0]}/`] }
  if (type === 'response.content_part.done') return { ...none, ended: [`${places[0]}/${places[1]}/`] }
  if (type.endsWith(DONE)) return { ...none, ended: [`${places.join('/')}/${type.slice(0, -DONE.length)}/`] }
  if (TERMINAL.has(type)) return { ...none, ended: [ALL] }
  return { ...none, isError: type === 'error' || type === 'response.failed' }
}

function readNumber(node: JsonNode | undefined): number | undefined {
  return node?.kind === 'number' ? node.number() : undefined
}

function readText(node: JsonNode | undefined): string | undefined {
  return node?.kind === 'string' ? node.text() : undefined
}

function isSet(node: JsonNode | undefined): boolean {
  return node !== undefined && node.kind !== 'null'
}

/** The members of an object as values, without some. */
function readMembers(object: JsonNode, except: readonly string[]): Members {
  const members: Members = {}
  for (const { key, value } of object.entries()) {
    const name = key.text()
    if (!except.includes(name) && name !== '__proto__') members[name] = value.toValue()
  }
  return members
}
