/** A sample call for templates. */
export interface ProbeCall {
  readonly id: string
  readonly name: string
  readonly arguments: Readonly<Record<string, string>>
}

/** Keys and values of the probes, in order; no two have a common beginning or end. */
export const KEYS = ['xqalpha', 'ymbravo'] as const
export const VALUES = ['zkcharlie', 'wpdelta'] as const

/** Words that occur in no template. Ids have nine characters, because some templates require that. */
export const FIRST: ProbeCall = {
  id: 'probeidAA',
  name: 'svcprobeone',
  arguments: { [KEYS[0]]: VALUES[0], [KEYS[1]]: VALUES[1] },
}
export const SECOND: ProbeCall = { id: 'probeidBB', name: 'svcprobeother', arguments: FIRST.arguments }

const QUESTION = 'svcprobequestion'
const ANSWER = 'svcprobeanswer'

/** A turn for templates. */
export interface ProbeMessage {
  readonly role: string
  readonly content: string | null
  readonly tool_calls?: readonly unknown[] | undefined
}

/** Renders a conversation with the tools of the probes declared. */
export type RenderProbe = (messages: readonly ProbeMessage[], tools: readonly unknown[]) => string

/** A template's output for one call, and for two calls of one turn. */
export interface WrittenCalls {
  readonly one: string
  /** Undefined when the template allows only one call a turn. */
  readonly two: string | undefined
}

/** Renders the sample calls; undefined if the template does not show any of them. */
export function writeProbes(render: RenderProbe): WrittenCalls | undefined {
  const one = tryWrite(render, [[FIRST]])
  if (one === undefined) return undefined
  const two = tryWrite(render, [[FIRST, SECOND]])
  // Calls that are written like the calls of two turns are not calls of one turn.
  return { one, two: two === tryWrite(render, [[FIRST], [SECOND]]) ? undefined : two }
}

/** The text that a template writes for turns with these calls; undefined when it does not show them. */
function tryWrite(render: RenderProbe, turns: readonly (readonly ProbeCall[])[]): string | undefined {
  const tools = [FIRST, SECOND].map(toTool)
  const ask = { role: 'user', content: QUESTION }
  const callers = turns.map((calls) => ({ role: 'assistant', content: '', tool_calls: calls.map(toWireCall) }))
  const calls = turns.flat()
  try {
    const called = render([ask, ...callers], tools)
    const plain = render([ask, { role: 'assistant', content: ANSWER }], tools)
    const start = Math.max(measureCommonPrefix(called, plain), called.lastIndexOf(QUESTION))
    const written = called.slice(
      start,
      findMarkEnd(called, called.length - measureCommonSuffix(called.slice(start), plain)),
    )
    return calls.every(({ name }) => written.includes(name)) ? written : undefined
  } catch {
    // Some templates refuse some conversations.
    return undefined
  }
}

/** The end of the mark around a position, or the position itself. */
function findMarkEnd(text: string, place: number): number {
  const before = text.slice(0, place)
  if (before.lastIndexOf('<') <= before.lastIndexOf('>')) return place
  return text.indexOf('>', place) + 1 || place
}

function toTool({ name, arguments: values }: ProbeCall): unknown {
  const properties = Object.fromEntries(Object.keys(values).map((key) => [key, { type: 'string', description: key }]))
  return {
    type: 'function',
    function: { name, description: name, parameters: { type: 'object', properties, required: Object.keys(values) } },
  }
}

function toWireCall({ id, name, arguments: values }: ProbeCall): unknown {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(values) } }
}

/** Length of the common beginning of two texts. */
export function measureCommonPrefix(a: string, b: string): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1
  return length
}

/** Length of the common end of two texts. */
export function measureCommonSuffix(a: string, b: string): number {
  let length = 0
  while (length < a.length && length < b.length && a[a.length - 1 - length] === b[b.length - 1 - length]) length += 1
  return length
}
