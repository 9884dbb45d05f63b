import type { ChatTurn } from './conversation.ts'
import { type BaseDemands, type Demands, NO_DEMANDS, type TurnDemands } from './demands.ts'
import { type Attempt, shows } from './probe.ts'

/** Words that no template contains. */
const ASK = 'svcprobeask'
const MORE = 'svcprobemore'
const ANSWER = 'svcprobeanswer'
const SECOND_ANSWER = 'svcprobesecond'
const FIRST_RULE = 'svcproberuleone'
const SECOND_RULE = 'svcproberuletwo'
const THIRD_RULE = 'svcproberulethree'

const ask: ChatTurn = { role: 'user', content: ASK }
const more: ChatTurn = { role: 'user', content: MORE }
const answer: ChatTurn = { role: 'assistant', content: ANSWER }
const secondAnswer: ChatTurn = { role: 'assistant', content: SECOND_ANSWER }
const firstRule: ChatTurn = { role: 'system', content: FIRST_RULE }
const secondRule: ChatTurn = { role: 'system', content: SECOND_RULE }
const thirdRule: ChatTurn = { role: 'system', content: THIRD_RULE }

const BASE: BaseDemands = { needsToolList: false, needsFunctions: false, needsSimpleTools: false }
const BASES: readonly BaseDemands[] = [BASE, { ...BASE, needsToolList: true }, { ...BASE, needsFunctions: true }]

/**
 * Finds the variables without which a template renders no conversation. Undefined for a template that does not show the
 * shortest conversation, which says nothing about its demands.
 */
export function probeBase(attempt: Attempt): BaseDemands | undefined {
  return BASES.find((base) => shows(attempt(toConversation(ask), { ...NO_DEMANDS, ...base }), ASK))
}

/** Finds the turns that a template shows. */
export function probeTurns(attempt: Attempt, base: BaseDemands): TurnDemands {
  let demands: Demands = { ...NO_DEMANDS, ...base }
  const isShown = (turns: readonly ChatTurn[], words: readonly string[], change: Partial<Demands> = {}): boolean =>
    shows(attempt(toConversation(...turns), { ...demands, ...change }), ...words)

  if (!isShown([ask, more], [ASK, MORE])) demands = { ...demands, joinsUsers: true }
  if (!isShown([ask, answer, secondAnswer, more], [ASK, ANSWER, SECOND_ANSWER, MORE])) {
    demands = { ...demands, joinsAssistants: true }
  }
  const answered = [answer, ask]
  if (!isShown(answered, [ANSWER, ASK]) && isShown(answered, [ANSWER, ASK], { needsUserFirst: true })) {
    demands = { ...demands, needsUserFirst: true }
  }
  if (!isShown([firstRule, ask], [FIRST_RULE, ASK])) return { ...demands, head: 'none', later: 'user' }
  if (!isShown([firstRule, secondRule, ask], [FIRST_RULE, SECOND_RULE, ASK])) demands = { ...demands, head: 'one' }
  if (!isShown([firstRule], [FIRST_RULE])) demands = { ...demands, needsUser: true }
  const long = [firstRule, ask, answer, secondRule, more, thirdRule]
  const words = [FIRST_RULE, ASK, ANSWER, SECOND_RULE, MORE, THIRD_RULE]
  return isShown(long, words) ? demands : { ...demands, later: 'user' }
}

function toConversation(...messages: readonly ChatTurn[]): {
  readonly messages: readonly ChatTurn[]
  readonly tools: null
} {
  return { messages, tools: null }
}
