import { readFileSync } from 'node:fs'
import { type GoStructType, goMap, goPointerTo, goSlice, goStruct } from '../src/go/index.ts'

/** One recorded template with Go's output. */
export interface GoRecord {
  readonly name: string
  readonly template: string
  readonly data_kind?: 'prompt' | 'chat_message' | 'multimodal' | 'node'
  readonly data: unknown
  readonly integral_floats?: readonly string[]
  readonly output?: string
  readonly error?: true
  readonly error_stage?: 'parse' | 'exec'
}

/** The records of the fixture file, without its header. */
export function readRecords(): GoRecord[] {
  const file = new URL('../__fixtures__/go-templates.jsonl', import.meta.url)
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line))
}

const toolFunction = goStruct('Function', {
  Name: { type: 'string', json: 'name' },
  Description: { type: 'string', json: 'description' },
  Strict: { type: 'bool', json: 'strict' },
  Parameters: { type: goMap('any'), json: 'parameters' },
})

/** The data of `chat`, `completion`, `edit` and `function` templates. */
const promptData = goStruct('PromptData', {
  SystemPrompt: 'string',
  SuppressSystemPrompt: 'bool',
  Input: 'string',
  Instruction: 'string',
  Functions: goSlice(toolFunction),
  MessageIndex: 'int',
  ReasoningEffort: 'string',
  Metadata: goMap('string'),
})

const calledFunction = goStruct('FunctionCall', {
  Name: { type: 'string', json: 'name,omitempty' },
  Arguments: { type: 'string', json: 'arguments' },
})

const toolCall = goStruct('ToolCall', {
  Index: { type: 'int', json: 'index' },
  ID: { type: 'string', json: 'id' },
  Type: { type: 'string', json: 'type' },
  FunctionCall: { type: calledFunction, json: 'function' },
})

/** The data of `chat_message` templates. */
const chatMessageData = goStruct('ChatMessageData', {
  SystemPrompt: 'string',
  Role: 'string',
  RoleName: 'string',
  FunctionName: 'string',
  Content: 'string',
  MessageIndex: 'int',
  Function: 'bool',
  FunctionCall: 'any',
  LastMessage: 'bool',
})

const medium = goStruct('Medium', { ID: 'int' })

/** The data of `multimodal` templates. */
const multimodalData = goStruct('MultimodalData', {
  Audio: goSlice(medium),
  Images: goSlice(medium),
  Video: goSlice(medium),
  Text: 'string',
})

/** A struct with pointers, to its own kind and to a number. */
const nodeData: GoStructType = goStruct('Node', {
  Value: 'string',
  Count: goPointerTo(() => 'int'),
  Next: goPointerTo(() => nodeData),
  Items: goSlice('string'),
  Labels: goMap('string'),
  Ratio: 'float64',
})

type Plain = Readonly<Record<string, unknown>>

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A record's data as the engine takes it. */
export function toData(record: GoRecord): unknown {
  if (record.data_kind === undefined || !isPlain(record.data)) return withInts(record.data, '', readFloats(record))
  switch (record.data_kind) {
    case 'prompt':
      return promptData.of({ ...record.data, ...renamed('Functions', record.data.Functions, toolFunction) })
    case 'chat_message':
      return chatMessageData.of({ ...record.data, ...toolCalls(record.data.FunctionCall) })
    case 'multimodal':
      return multimodalData.of(record.data)
    case 'node':
      return nodeData.of(record.data)
  }
}

function renamed(key: string, list: unknown, type: GoStructType): Plain {
  return Array.isArray(list) ? { [key]: list.map((item) => byJsonNames(type, item)) } : {}
}

/** A list of calls is a list of structs; anything else is as it came. */
function toolCalls(calls: unknown): Plain {
  if (!Array.isArray(calls)) return {}
  return { FunctionCall: calls.map((call) => toolCall.of(byJsonNames(toolCall, call))) }
}

/** Data keyed by JSON names, keyed by the names of the struct's fields instead. */
function byJsonNames(type: GoStructType, data: unknown): Plain {
  if (!isPlain(data)) throw new TypeError('expected an object')
  const fields = type.fields.filter((field) => field.json in data)
  return Object.fromEntries(
    fields.map((field) => {
      const value = data[field.json]
      return [field.name, field.type === calledFunction ? byJsonNames(calledFunction, value) : value]
    }),
  )
}

function readFloats(record: GoRecord): ReadonlySet<string> {
  return new Set(record.integral_floats ?? [])
}

/** Numbers that were spelled as integers become bigints, which are `int` in templates. */
function withInts(value: unknown, pointer: string, floats: ReadonlySet<string>): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) && !floats.has(pointer) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map((item, at) => withInts(item, `${pointer}/${at}`, floats))
  if (!isPlain(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withInts(item, `${pointer}/${key}`, floats)]),
  )
}
