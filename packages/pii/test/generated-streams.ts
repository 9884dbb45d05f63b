import type { ReplyFormat } from '@svc/pii/reversible'
import { pick, type Random, type Tree, writeTree } from './json-text.ts'

/** Values and their tokens, as building blocks of texts. */
export interface Vocabulary {
  /** Token to value. */
  readonly values: ReadonlyMap<string, string>
}

/** The text of one lane before restoration. */
export interface Lane {
  readonly name: string
  readonly isJson: boolean
  readonly text: string
}

/** A stream of events and its lanes. */
export interface Stream {
  readonly bytes: Uint8Array
  readonly lanes: readonly Lane[]
}

/** Whether a piece of JSON text ends inside an escape: its end then waits for the rest. */
function endsInsideEscape(text: string): boolean {
  return !/^(?:[^\\]|\\u[0-9a-fA-F]{4}|\\[^u])*$/.test(text)
}

/** A text with tokens, beginnings of tokens and lookalikes. */
export function generateText({ values }: Vocabulary, random: Random, most = 4): string {
  const tokens = [...values.keys()]
  const token = () => tokens[random(tokens.length)] ?? ''
  let text = ''
  for (let left = random(most + 1); left > 0; left--) {
    const whole = token()
    text += pick(random, [whole, whole, whole.slice(0, 1 + random(whole.length)), whole.slice(1), whole.toLowerCase()])
    text += pick(random, ['', '', ' and ', '[', '<', '"', '\\', '\n', 'é', '😀', 'EMAIL_001', '{"'])
  }
  return text
}

/** The arguments of a call: JSON text of an object with such texts, in various escapes. */
function generateArguments(vocabulary: Vocabulary, random: Random, most: number): string {
  const text = (): Tree => ({ kind: 'string', text: generateText(vocabulary, random, most) })
  const items: Tree = { kind: 'array', items: [text(), { kind: 'number', text: '1' }] }
  const members = [
    ['a', text()] as const,
    ['b', items] as const,
    [`k ${generateText(vocabulary, random, most)}`, text()] as const,
  ]
  return writeTree({ kind: 'object', members }, random)
}

/** Cuts a text into one to four pieces, anywhere, or not inside escapes. */
function cut({ text, isJson }: Lane, random: Random, wholeEscapes: boolean): string[] {
  const pieces: string[] = []
  let rest = text
  for (let left = random(4); left > 0; left--) {
    let at = random(rest.length + 1)
    while (isJson && wholeEscapes && endsInsideEscape(rest.slice(0, at))) at--
    pieces.push(rest.slice(0, at))
    rest = rest.slice(at)
  }
  return [...pieces, rest]
}

/** Takes pieces of several lists in turn, each list in its order. */
function interleave<T>(lists: readonly (readonly T[])[], random: Random): T[] {
  const rests = lists.map((list) => [...list])
  const merged: T[] = []
  for (let left = rests.reduce((sum, { length }) => sum + length, 0); left > 0; ) {
    const next = rests[random(rests.length)]?.shift()
    if (next === undefined) continue
    merged.push(next)
    left -= 1
  }
  return merged
}

class StreamWriter {
  readonly #random: Random
  readonly #wholeEscapes: boolean
  #text = ''

  constructor(random: Random, wholeEscapes: boolean) {
    this.#random = random
    this.#wholeEscapes = wholeEscapes
  }

  cut(lane: Lane): string[] {
    return cut(lane, this.#random, this.#wholeEscapes)
  }

  event(data: unknown, name?: string): void {
    const end = pick(this.#random, ['\n', '\n', '\r\n', '\r'])
    if (this.#random(6) === 0) this.#text += `: keep-alive${end}${end}`
    if (name !== undefined) this.#text += `event: ${name}${end}`
    const json = writeTree(toTree(data), this.#random)
    // Blanks between tokens may be line feeds: then the data has several lines.
    for (const line of json.split('\n')) this.#text += `data:${pick(this.#random, [' ', ''])}${line}${end}`
    this.#text += end
  }

  raw(text: string): void {
    this.#text += text
  }

  get bytes(): Uint8Array {
    return new TextEncoder().encode(this.#text)
  }
}

function toTree(value: unknown): Tree {
  if (typeof value === 'string') return { kind: 'string', text: value }
  if (typeof value === 'number') return { kind: 'number', text: String(value) }
  if (typeof value !== 'object' || value === null) return { kind: 'literal', text: String(value) }
  if (Array.isArray(value)) return { kind: 'array', items: value.map(toTree) }
  return { kind: 'object', members: Object.entries(value).map(([key, member]) => [key, toTree(member)] as const) }
}

/**
 * A random stream of a format. With `wholeEscapes` no delta ends inside an escape of its text; `most` is the largest
 * number of tokens in a text.
 */
export function generateStream(
  format: ReplyFormat,
  vocabulary: Vocabulary,
  random: Random,
  { wholeEscapes = false, most = 4 } = {},
): Stream {
  const writer = new StreamWriter(random, wholeEscapes)
  const text = () => generateText(vocabulary, random, most)
  const json = () => generateArguments(vocabulary, random, most)
  switch (format) {
    case 'chat-completions':
      return writeChat(
        writer,
        (most > 1 ? [0, 1] : [0]).flatMap((choice) => chatLanes(choice, text, json)),
        random,
      )
    case 'completions':
      return writeCompletions(
        writer,
        [0, 1].map((choice) => ({ name: `${choice}/text`, isJson: false, text: text() })),
        random,
      )
    case 'messages':
      return writeMessages(
        writer,
        [
          { name: 'thinking', isJson: false, text: text() },
          { name: 'text', isJson: false, text: text() },
          { name: 'partial_json', isJson: true, text: json() },
          { name: 'text', isJson: false, text: text() },
        ],
        random,
      )
    case 'responses':
      return writeResponses(
        writer,
        [
          { name: 'reasoning_text', isJson: false, text: text() },
          { name: 'output_text', isJson: false, text: text() },
          { name: 'function_call_arguments', isJson: true, text: json() },
        ],
        random,
      )
  }
}

function chatLanes(choice: number, text: () => string, json: () => string): Lane[] {
  return [
    { name: `${choice}/content`, isJson: false, text: text() },
    { name: `${choice}/reasoning_content`, isJson: false, text: text() },
    { name: `${choice}/call 0`, isJson: true, text: json() },
    { name: `${choice}/call 1`, isJson: true, text: json() },
  ]
}

function writeChat(writer: StreamWriter, lanes: readonly Lane[], random: Random): Stream {
  const chunk = (index: number, delta: unknown, finish_reason: string | null) =>
    writer.event({ id: 'c', object: 'chat.completion.chunk', choices: [{ index, delta, finish_reason }] })
  for (const { lane, piece } of interleavePieces(lanes, writer, random)) {
    const [choice, name = ''] = lane.name.split('/')
    const call = { index: Number(name.slice(-1)), function: { arguments: piece } }
    chunk(Number(choice), lane.isJson ? { tool_calls: [call] } : { [name]: piece }, null)
  }
  for (const index of new Set(lanes.map(({ name }) => Number(name.charAt(0))))) chunk(index, {}, 'stop')
  writer.event({ id: 'c', object: 'chat.completion.chunk', choices: [], usage: { prompt_tokens: 1 } })
  writer.raw('data: [DONE]\n\n')
  return { bytes: writer.bytes, lanes }
}

function interleavePieces(lanes: readonly Lane[], writer: StreamWriter, random: Random) {
  return interleave(
    lanes.map((lane) => writer.cut(lane).map((piece) => ({ lane, piece }))),
    random,
  )
}

function writeCompletions(writer: StreamWriter, lanes: readonly Lane[], random: Random): Stream {
  for (const { lane, piece } of interleavePieces(lanes, writer, random)) {
    writer.event({
      id: 'c',
      choices: [{ index: Number(lane.name.charAt(0)), text: piece, logprobs: null, finish_reason: null }],
    })
  }
  const ends = pick(random, [0, 1])
  if (ends === 1)
    for (const index of [0, 1]) writer.event({ id: 'c', choices: [{ index, text: '', finish_reason: 'stop' }] })
  return { bytes: writer.bytes, lanes }
}

function writeMessages(writer: StreamWriter, lanes: readonly Lane[], random: Random): Stream {
  const event = (data: { type: string }) => writer.event(data, data.type)
  const named = lanes.map((lane, index) => ({ ...lane, name: `${index}/${lane.name}` }))
  for (const [index, lane] of lanes.entries()) {
    const [first = '', ...rest] = writer.cut(lane)
    const isText = lane.name === 'text'
    event({ type: 'content_block_start', index, content_block: { type: 'b', text: isText ? first : '' } } as {
      type: string
    })
    for (const piece of isText ? rest : [first, ...rest]) {
      event({ type: 'content_block_delta', index, delta: { type: `${lane.name}_delta`, [lane.name]: piece } } as {
        type: string
      })
      if (random(3) === 0) event({ type: 'ping' })
    }
    if (random(4) > 0) event({ type: 'content_block_stop', index } as { type: string })
  }
  event({ type: 'message_stop' })
  return { bytes: writer.bytes, lanes: named }
}

function writeResponses(writer: StreamWriter, lanes: readonly Lane[], random: Random): Stream {
  let sequence_number = 0
  const event = (type: string, members: object) =>
    writer.event({ type, sequence_number: sequence_number++, ...members }, type)
  const named = lanes.map((lane, index) => ({ ...lane, name: `${index}/${lane.name}` }))
  event('response.created', { response: { output: [] } })
  for (const [output_index, lane] of lanes.entries()) {
    const place = { item_id: `i${output_index}`, output_index, content_index: 0 }
    for (const delta of writer.cut(lane)) event(`response.${lane.name}.delta`, { ...place, delta })
    const whole = { [lane.isJson ? 'arguments' : 'text']: lane.text }
    if (random(3) > 0) event(`response.${lane.name}.done`, { ...place, ...whole })
    event('response.output_item.done', { output_index, item: whole })
  }
  const output = lanes.map((lane) => ({ [lane.isJson ? 'arguments' : 'text']: lane.text }))
  event('response.completed', { response: { output } })
  return { bytes: writer.bytes, lanes: named }
}
