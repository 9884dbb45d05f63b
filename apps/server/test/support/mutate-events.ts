/** A source of numbers that a seed repeats. */
export interface Dice {
  /** An integer from 0 to below a bound. */
  below(bound: number): number
  pick<T>(values: readonly [T, ...T[]] | readonly T[]): T
}

/** Creates dice of a seed (mulberry32). */
export function createDice(seed: number): Dice {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (bound: number): number => Math.floor(next() * bound)
  return {
    below,
    pick<T>(values: readonly T[]): T {
      const value = values[below(values.length)]
      if (value === undefined) throw new Error('there is nothing to pick')
      return value
    },
  }
}

const SOUND = Buffer.alloc(4800, 3).toString('base64')

/** Events of a client, each as it should be. */
const EVENTS: readonly object[] = [
  { type: 'session.update', session: { type: 'realtime', instructions: 'Be brief.', output_modalities: ['text'] } },
  {
    type: 'session.update',
    session: {
      type: 'realtime',
      audio: {
        input: {
          format: { type: 'audio/pcm', rate: 24_000 },
          transcription: { model: 'ear', language: 'en' },
          turn_detection: { type: 'server_vad', threshold: 0.5, prefix_padding_ms: 100, silence_duration_ms: 200 },
        },
        output: { format: { type: 'audio/pcmu' }, voice: 'slt', speed: 1 },
      },
      tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }],
      tool_choice: 'auto',
      max_output_tokens: 100,
    },
  },
  { type: 'session.update', session: { type: 'realtime', audio: { input: { turn_detection: null } } } },
  { type: 'input_audio_buffer.append', audio: SOUND },
  { type: 'input_audio_buffer.append', audio: SOUND },
  { type: 'input_audio_buffer.append', audio: SOUND },
  { type: 'input_audio_buffer.commit' },
  { type: 'input_audio_buffer.clear' },
  { type: 'output_audio_buffer.clear' },
  {
    type: 'conversation.item.create',
    item: { id: 'item_a', type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
  },
  {
    type: 'conversation.item.create',
    previous_item_id: 'item_a',
    item: { type: 'message', role: 'user', content: [{ type: 'input_audio', audio: SOUND }] },
  },
  { type: 'conversation.item.create', item: { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' } },
  { type: 'conversation.item.create', item: { type: 'function_call_output', call_id: 'c', output: 'done' } },
  { type: 'conversation.item.retrieve', item_id: 'item_a' },
  { type: 'conversation.item.truncate', item_id: 'item_a', content_index: 0, audio_end_ms: 10 },
  { type: 'conversation.item.delete', item_id: 'item_a' },
  { type: 'response.create' },
  {
    type: 'response.create',
    response: {
      conversation: 'none',
      instructions: 'x',
      output_modalities: ['text'],
      metadata: { a: 'b' },
      max_output_tokens: 3,
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
        { type: 'item_reference', id: 'item_a' },
      ],
    },
  },
  { type: 'response.cancel' },
]

/** Names that objects have already. */
const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  ' ',
  '\u0000',
  'ｔｙｐｅ',
  'type',
]

/** A text that becomes a nest of lists and objects of this depth: JSON.stringify cannot write deep ones. */
const writeNest = (depth: number): string => `@nest ${depth}@`

/** Puts the nests into a text. */
function addNests(text: string): string {
  return text.replaceAll(/"@nest (\d+)@"/g, (_, depth) => `${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`)
}

/** Values that fit almost nowhere. */
const VALUES: readonly ((dice: Dice) => unknown)[] = [
  () => null,
  (dice) => dice.pick([true, false]),
  (dice) => dice.pick([0, -1, 1.5, 1e308, -1e308, 2 ** 53, 5e-324, 65_536, 4_294_967_296]),
  () => '',
  (dice) => dice.pick(NAMES),
  (dice) => dice.pick(['\ud800', '\u202e\u0007', '😀'.repeat(50), 'é'.normalize('NFD'), '\ufeff']),
  (dice) => 'x'.repeat(dice.pick([257, 1025, 70_000])),
  (dice) => writeNest(dice.pick([3, 64, 200, 5000, 50_000])),
  () => [],
  () => ({}),
  (dice) => [dice.pick(EVENTS)],
  (dice) => dice.pick(['inf', 'NaN', 'auto', 'none', 'root', 'realtime', 'transcription', 'audio/pcm']),
]

/** Sound that is not quite base64, or not quite sound. */
const SOUNDS = ['====', '%%%%', 'AAA', 'AA=A', 'A', SOUND.slice(1), `${SOUND}\n`, SOUND.replaceAll('A', '-'), '/w==']

/** Replaces, drops or adds one thing anywhere in a value. */
function mutateValue(value: unknown, dice: Dice): unknown {
  if (Array.isArray(value)) return mutateList(value, dice)
  if (typeof value === 'object' && value !== null && dice.below(4) > 0) return mutateFields(value, dice)
  return dice.pick(VALUES)(dice)
}

function mutateList(list: readonly unknown[], dice: Dice): unknown {
  const at = dice.below(list.length + 1)
  switch (dice.below(4)) {
    case 0:
      return list.toSpliced(at, 1)
    case 1:
      return Array.from({ length: dice.pick([2, 300, 2000]) }, () => list[0])
    case 2:
      return list.toSpliced(at, 0, dice.pick(VALUES)(dice))
    default:
      return list.map((value, index) => (index === at ? mutateValue(value, dice) : value))
  }
}

function mutateFields(fields: object, dice: Dice): unknown {
  const entries: [string, unknown][] = Object.entries(fields)
  // without its type most of an event is not looked at
  const others = [...entries.keys()].filter((index) => entries[index]?.[0] !== 'type')
  const at = others.length === 0 || dice.below(12) === 0 ? dice.below(entries.length) : dice.pick(others)
  switch (dice.below(6)) {
    case 0:
      return Object.fromEntries(entries.toSpliced(at, 1))
    case 1:
      return Object.fromEntries([...entries, [dice.pick(NAMES), dice.pick(VALUES)(dice)]])
    case 2:
      return Object.fromEntries(entries.map(([name, value], index) => [index === at ? dice.pick(NAMES) : name, value]))
    default:
      return Object.fromEntries(
        entries.map(([name, value], index) => [
          name,
          index !== at ? value : name === 'audio' && dice.below(2) === 0 ? dice.pick(SOUNDS) : mutateValue(value, dice),
        ]),
      )
  }
}

/** A message to send: text, or a binary frame. */
export type MutatedMessage = string | Buffer

/** Spoils a text as a transport or a broken client would. */
function spoilText(text: string, dice: Dice): MutatedMessage {
  const at = dice.below(text.length + 1)
  switch (dice.below(7)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return `${text.slice(0, at)}${dice.pick(['"', '}', ']', ',', '\u0000', '\\', 'e999'])}${text.slice(at)}`
    case 2:
      return text + text
    case 3:
      return dice.pick(['', 'null', '[]', '1', '"response.create"', '\ufeff{}', '{"type":"response.create","type":1}'])
    case 4:
      return Buffer.from(text)
    case 5:
      return Buffer.alloc(dice.pick([0, 1, 3, 480, 9601]), 7)
    default:
      return text.replace('"type"', '"__proto__":{"type":"response.create"},"type"')
  }
}

/** Makes one stream of messages: events in any order, most of them spoiled somewhere. */
export function mutateStream(dice: Dice): MutatedMessage[] {
  return Array.from({ length: 4 + dice.below(12) }, () => {
    let event: unknown = dice.pick(EVENTS)
    if (dice.below(3) > 0) event = { event_id: `e${dice.below(10)}`, ...Object(event) }
    for (let times = dice.below(4); times > 0; times -= 1) event = mutateFields(Object(event), dice)
    const text = addNests(JSON.stringify(event) ?? 'undefined')
    return dice.below(12) === 0 ? spoilText(text, dice) : text
  })
}
