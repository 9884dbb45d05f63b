import { toFunctionId } from './call-ids.ts'
import type { ChatTurn } from './conversation.ts'
import type { CallDemands, Demands } from './demands.ts'
import { type Attempt, findShown, shows } from './probe.ts'

/** A sample call. Its id has the form of ids that this server gives. */
interface SampleCall {
  readonly id: string
  readonly name: string
  readonly key: string
  readonly value: string
  readonly result: string
}

/** Words that no template contains. */
const FIRST: SampleCall = {
  id: 'call_000000000000000000000001',
  name: 'svcprobetool',
  key: 'svcprobekey',
  value: 'svcprobevalue',
  result: 'svcproberesult',
}
const SECOND: SampleCall = {
  id: 'call_000000000000000000000002',
  name: 'svcprobeother',
  key: 'svcprobefield',
  value: 'svcprobetext',
  result: 'svcprobeoutcome',
}
const ASK = 'svcprobeask'
const MORE = 'svcprobemore'
const ANSWER = 'svcprobeanswer'

const ask: ChatTurn = { role: 'user', content: ASK }
const more: ChatTurn = { role: 'user', content: MORE }
const CALLED = [ask, toCaller(FIRST)]
const ANSWERED = [...CALLED, toResult(FIRST)]
/** The parts of a call that a template should show. */
const CALL_WORDS = [FIRST.name, FIRST.key, FIRST.value]
const DECLARED = [FIRST, SECOND].map(toTool)

/** Forms to try. Forms with fewer changes come first. */
const FORMS = (['any', 'nine', 'function'] as const).flatMap((ids) =>
  (['', null] as const).flatMap((emptyContent) =>
    (['value', 'text'] as const).map((form) => ({ ids, emptyContent, arguments: form })),
  ),
)

/** Whether a template shows declarations of tools. */
export function probeTools(attempt: Attempt, demands: Demands): boolean {
  return shows(attempt({ messages: [ask], tools: DECLARED }, demands), FIRST.name)
}

/** Finds the form of calls and results that a template shows, in conversations with tools or without. */
export function probeCalls(
  attempt: Attempt,
  { demands, withTools }: { readonly demands: Demands; readonly withTools: boolean },
): CallDemands {
  const tools = withTools ? DECLARED : null
  const declared = attempt({ messages: [ask], tools }, demands)
  const render = (turns: readonly ChatTurn[], form: Partial<CallDemands>): string | undefined =>
    attempt({ messages: turns, tools }, { ...demands, ...form })
  const sampler: Sampler = {
    render,
    findShown: (turns, words, form) => findShown(render(turns, form), declared, words),
    shows: (turns, words, form) => sampler.findShown(turns, words, form).length === words.length,
  }
  const form = probeResults(sampler, { ...demands, ...probeForm(sampler) })
  return probeTogether(sampler, form)
}

/** Renders samples, and finds the words that calls and results add to a prompt. */
interface Sampler {
  render(turns: readonly ChatTurn[], form: Partial<CallDemands>): string | undefined
  findShown(turns: readonly ChatTurn[], words: readonly string[], form: Partial<CallDemands>): readonly string[]
  shows(turns: readonly ChatTurn[], words: readonly string[], form: Partial<CallDemands>): boolean
}

/** Finds the form of a single call that shows most. */
function probeForm(sampler: Sampler): Partial<CallDemands> {
  // Templates that refuse results may still show calls.
  for (const turns of [ANSWERED, CALLED]) {
    const form = findForm(sampler, turns)
    if (form === undefined) continue
    // Such a template counts calls itself, and results must refer to its ids.
    const countsCalls = shows(sampler.render(turns, form), toFunctionId(FIRST.name, 0))
    return countsCalls ? { ...form, ids: 'function' } : form
  }
  const asText = { callsAsText: true }
  return sampler.shows(CALLED, CALL_WORDS, asText) ? asText : {}
}

function findForm(sampler: Sampler, turns: readonly ChatTurn[]): Partial<CallDemands> | undefined {
  let best: { readonly form: (typeof FORMS)[number]; readonly shown: number } | undefined
  for (const form of FORMS) {
    const shown = sampler.findShown(turns, CALL_WORDS, form).length
    if (shown > (best?.shown ?? 0)) best = { form, shown }
    if (shown === CALL_WORDS.length) break
  }
  if (best === undefined) return undefined
  const { form, shown } = best
  const asText = { ...form, arguments: 'text' as const }
  const isBetter = isPythonCode(sampler.render(turns, form)) && !isPythonCode(sampler.render(turns, asText))
  return isBetter && sampler.findShown(turns, CALL_WORDS, asText).length >= shown ? asText : form
}

/** Finds the form of results, also of one that a user's turn follows. */
function probeResults(sampler: Sampler, form: CallDemands): CallDemands {
  const resultsAsUser = !sampler.shows(ANSWERED, [FIRST.result], form)
  const found = { ...form, resultsAsUser }
  const resumed = [...ANSWERED, more]
  const userAfterResult = (['kept', 'answered', 'joined'] as const).find((way) =>
    sampler.shows(resumed, [FIRST.result, MORE], { ...found, userAfterResult: way }),
  )
  return { ...found, userAfterResult: userAfterResult ?? 'kept' }
}

/** Finds out whether a turn may have several calls, and text beside them. */
function probeTogether(sampler: Sampler, form: CallDemands): CallDemands {
  if (form.callsAsText) return form
  let found = form
  const words = sampler.findShown(CALLED, CALL_WORDS, form)
  const both = [ask, toCaller(FIRST, SECOND), toResult(FIRST), toResult(SECOND)]
  const others = [SECOND.name, SECOND.key, SECOND.value].filter((_, index) => words.includes(CALL_WORDS[index] ?? ''))
  const all = [...words, ...others, FIRST.result, SECOND.result]
  if (!sampler.shows(both, all, found) && sampler.shows(both, all, { ...found, splitsCalls: true })) {
    found = { ...found, splitsCalls: true }
  }
  const told = [ask, { ...toCaller(FIRST), content: ANSWER }, toResult(FIRST)]
  const isShown = sampler.shows(told, words, found)
  if (!isShown && sampler.shows(told, [...words, ANSWER], { ...found, splitsText: true })) {
    found = { ...found, splitsText: true }
  }
  return found
}

/** Whether arguments are printed as Python prints a dict, which no model was trained on. */
function isPythonCode(text: string | undefined): boolean {
  return text?.includes(`'${FIRST.key}': '${FIRST.value}'`) === true
}

function toTool({ name, key }: SampleCall): unknown {
  const properties = { [key]: { type: 'string', description: key } }
  return {
    type: 'function',
    function: { name, description: name, parameters: { type: 'object', properties, required: [key] } },
  }
}

function toCaller(...calls: readonly SampleCall[]): ChatTurn {
  return {
    role: 'assistant',
    content: '',
    tool_calls: calls.map(({ id, name, key, value }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify({ [key]: value }) },
    })),
  }
}

function toResult({ id, result }: SampleCall): ChatTurn {
  return { role: 'tool', content: result, tool_call_id: id }
}
