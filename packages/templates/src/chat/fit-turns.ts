import { type ChatTurn, hasCalls, joinTexts } from './conversation.ts'
import type { CallDemands, TurnDemands } from './demands.ts'

/** Gives system turns and equal neighbours the form that a template shows. */
export function fitTurns(
  turns: readonly ChatTurn[],
  demands: TurnDemands & Pick<CallDemands, 'userAfterResult'>,
): readonly ChatTurn[] {
  const { head, rest } = splitHead(turns, demands)
  const body = demands.later === 'user' ? foldLater(rest) : rest
  const leading = head.length > 1 && demands.head !== 'many' ? [joinTurns(...head)] : head
  const needsUser = demands.needsUser && !body.some(({ role }) => role === 'user')
  const folded = demands.head === 'none' || needsUser ? fold(leading, body) : [...leading, ...body]
  return fitNeighbours(demands.needsUserFirst ? putUserFirst(folded) : folded, demands)
}

interface Split {
  readonly head: readonly ChatTurn[]
  readonly rest: readonly ChatTurn[]
}

/** Divides the system turns at the head from the rest. */
function splitHead(turns: readonly ChatTurn[], { later }: TurnDemands): Split {
  if (later === 'head') return { head: turns.filter(isSystem), rest: turns.filter((turn) => !isSystem(turn)) }
  const end = turns.findIndex((turn) => !isSystem(turn))
  const count = end < 0 ? turns.length : end
  return { head: turns.slice(0, count), rest: turns.slice(count) }
}

/** Puts the head into the first user turn, or makes a user turn of it. */
function fold(head: readonly ChatTurn[], body: readonly ChatTurn[]): readonly ChatTurn[] {
  const text = joinTexts(...head.map(({ content }) => content))
  if (text === '') return body
  const first = body.findIndex(({ role }) => role === 'user')
  const user = body[first]
  if (user === undefined) return [{ role: 'user', content: text }, ...body]
  return [...body.slice(0, first), { ...user, content: joinTexts(text, user.content) }, ...body.slice(first + 1)]
}

/**
 * Puts later system turns into the user turn behind them, else into the one before them. Without a user turn beside
 * them they become one.
 */
function foldLater(turns: readonly ChatTurn[]): readonly ChatTurn[] {
  const folded: ChatTurn[] = []
  let waiting: ChatTurn[] = []
  const flush = (): void => {
    const text = joinTexts(...waiting.map(({ content }) => content))
    waiting = []
    if (text === '') return
    const last = folded.at(-1)
    if (last?.role === 'user') folded[folded.length - 1] = { ...last, content: joinTexts(last.content, text) }
    else folded.push({ role: 'user', content: text })
  }
  for (const turn of turns) {
    if (isSystem(turn)) {
      waiting.push(turn)
      continue
    }
    if (turn.role === 'user' && waiting.length > 0) {
      folded.push({ ...turn, content: joinTexts(...waiting.map(({ content }) => content), turn.content) })
      waiting = []
      continue
    }
    // Nothing may come between a call and its result.
    if (turn.role !== 'tool') flush()
    folded.push(turn)
  }
  flush()
  return folded
}

function putUserFirst(turns: readonly ChatTurn[]): readonly ChatTurn[] {
  const first = turns.findIndex((turn) => !isSystem(turn))
  if (turns[first]?.role !== 'assistant') return turns
  return [...turns.slice(0, first), { role: 'user', content: '' }, ...turns.slice(first)]
}

function fitNeighbours(
  turns: readonly ChatTurn[],
  demands: TurnDemands & Pick<CallDemands, 'userAfterResult'>,
): readonly ChatTurn[] {
  const { joinsUsers, joinsAssistants, userAfterResult } = demands
  if (!joinsUsers && !joinsAssistants && userAfterResult === 'kept') return turns
  const fitted: ChatTurn[] = []
  for (const turn of turns) {
    const last = fitted.at(-1)
    const joins = turn.role === 'user' ? joinsUsers : turn.role === 'assistant' && joinsAssistants
    if (joins && last?.role === turn.role && !hasCalls(last)) {
      fitted[fitted.length - 1] = joinTurns(last, turn)
    } else if (turn.role === 'user' && last?.role === 'tool' && userAfterResult === 'joined') {
      fitted[fitted.length - 1] = { ...last, content: joinTexts(last.content, turn.content) }
    } else {
      if (turn.role === 'user' && last?.role === 'tool' && userAfterResult === 'answered') {
        fitted.push({ role: 'assistant', content: '' })
      }
      fitted.push(turn)
    }
  }
  return fitted
}

/** One turn with the texts of all turns. Other members come from the last one. */
function joinTurns(...turns: readonly ChatTurn[]): ChatTurn {
  const last = turns.at(-1) ?? { role: 'user', content: '' }
  const text = joinTexts(...turns.map(({ content }) => content))
  const thoughts = joinTexts(...turns.map((turn) => turn.reasoning_content))
  return {
    ...last,
    content: text === '' ? last.content : text,
    ...(thoughts !== '' && { reasoning_content: thoughts }),
  }
}

function isSystem({ role }: ChatTurn): boolean {
  return role === 'system'
}
