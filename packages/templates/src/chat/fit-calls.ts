import { toArguments, writeJson } from './call-arguments.ts'
import { type CallIds, createCallIds } from './call-ids.ts'
import { type ChatTurn, hasCalls, joinTexts, readCall, writeCall } from './conversation.ts'
import type { CallDemands } from './demands.ts'

/** A turn with calls and the results behind it, in the order of the calls. */
interface Exchange {
  readonly caller: ChatTurn
  readonly results: readonly ChatTurn[]
}

/** Gives calls and results the form that a template shows. */
export function fitCalls(turns: readonly ChatTurn[], demands: CallDemands): readonly ChatTurn[] {
  const ids = createCallIds(demands.ids)
  const fitted: ChatTurn[] = []
  let start = 0
  while (start < turns.length) {
    const turn = turns[start]
    if (turn === undefined) break
    const first = hasCalls(turn) ? start + 1 : start
    const results = takeResults(turns, first)
    if (hasCalls(turn)) fitted.push(...writeExchange(readExchange(turn, { results, demands, ids }), demands))
    else if (results.length > 0) fitted.push(...writeResults(results, { demands, names: new Map() }))
    else fitted.push(turn)
    start = Math.max(first + results.length, start + 1)
  }
  return fitted
}

function takeResults(turns: readonly ChatTurn[], start: number): readonly ChatTurn[] {
  let end = start
  while (turns[end]?.role === 'tool') end++
  return turns.slice(start, end)
}

function readExchange(
  turn: ChatTurn,
  { results, demands, ids }: Pick<Exchange, 'results'> & { readonly demands: CallDemands; readonly ids: CallIds },
): Exchange {
  ids.startTurn()
  const calls = (turn.tool_calls ?? []).map((given) => {
    const call = readCall(given)
    return writeCall(given, { id: ids.call(call), arguments: toArguments(call.arguments, demands.arguments) })
  })
  const answers = results.map((result) => ({ ...result, tool_call_id: ids.result(result.tool_call_id ?? '') }))
  return { caller: { ...turn, tool_calls: calls }, results: sortResults(answers, calls) }
}

/** Puts results in the order of their calls, because many templates show no ids. */
function sortResults(results: readonly ChatTurn[], calls: readonly unknown[]): readonly ChatTurn[] {
  if (results.length < 2) return results
  const order = calls.map((call) => readCall(call).id)
  const findPlace = ({ tool_call_id: id = '' }: ChatTurn): number => {
    const place = order.indexOf(id)
    return place < 0 ? order.length : place
  }
  return results.toSorted((a, b) => findPlace(a) - findPlace(b))
}

function writeExchange({ caller, results }: Exchange, demands: CallDemands): readonly ChatTurn[] {
  const { tool_calls: calls = [], ...rest } = caller
  const names = new Map(calls.map((call) => [readCall(call).id, readCall(call).name]))
  if (demands.callsAsText) {
    const text = joinTexts(rest.content, calls.map(toJsonLine).join('\n'))
    return [{ ...rest, content: text }, ...writeResults(results, { demands, names })]
  }
  const isEmpty = (rest.content ?? '') === ''
  const silent = { ...caller, content: isEmpty || demands.splitsText ? demands.emptyContent : rest.content }
  const spoken = isEmpty || !demands.splitsText ? [] : [{ role: rest.role, content: rest.content }]
  const pairs = demands.splitsCalls ? pairUp({ caller: silent, results }, demands) : [silent, ...results]
  return demands.resultsAsUser
    ? [
        ...spoken,
        ...pairs.flatMap((turn) => (turn.role === 'tool' ? writeResults([turn], { demands, names }) : [turn])),
      ]
    : [...spoken, ...pairs]
}

/** Gives each call a turn of its own with its result behind it. Text and thoughts stay with the first call. */
function pairUp({ caller, results }: Exchange, { emptyContent }: CallDemands): readonly ChatTurn[] {
  const left = [...results]
  const pairs = (caller.tool_calls ?? []).flatMap((call, index) => {
    const { id } = readCall(call)
    const place = left.findIndex((result) => result.tool_call_id === id)
    const rest = index === 0 ? caller : { role: caller.role, content: emptyContent }
    return [{ ...rest, tool_calls: [call] }, ...(place < 0 ? [] : left.splice(place, 1))]
  })
  return [...pairs, ...left]
}

function writeResults(
  results: readonly ChatTurn[],
  { demands, names }: { readonly demands: CallDemands; readonly names: ReadonlyMap<string, string> },
): readonly ChatTurn[] {
  if (!demands.resultsAsUser || results.length === 0) return results
  const texts = results.map(({ tool_call_id: id = '', name = names.get(id) ?? '', content }) => {
    return `${name === '' ? 'Result:' : `Result of ${name}:`}\n${content ?? ''}`
  })
  return [{ role: 'user', content: joinTexts(...texts) }]
}

function toJsonLine(call: unknown): string {
  const { name, arguments: given } = readCall(call)
  return writeJson({ name, arguments: toArguments(given, 'value') })
}
