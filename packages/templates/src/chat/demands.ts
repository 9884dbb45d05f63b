import type { ArgumentsForm } from './call-arguments.ts'
import type { CallIdForm } from './call-ids.ts'

/** The variables that a template needs beside the conversation. */
export interface BaseDemands {
  /** Whether a conversation without tools has an empty list of tools instead of no list. */
  readonly needsToolList: boolean
  /** Whether `functions` (the tools as JSON text) and `datetime` must exist. */
  readonly needsFunctions: boolean
  /** Whether schemas of tools must have a single type and a description at every place. */
  readonly needsSimpleTools: boolean
}

/** The turns that a template shows, found by probes. */
export interface TurnDemands {
  /** System turns at the head that it shows: any number, one, or none. */
  readonly head: 'many' | 'one' | 'none'
  /** System turns behind the head: kept, put into the nearest user turn, or joined with the head. */
  readonly later: 'kept' | 'user' | 'head'
  /** Whether equal neighbours must be one turn. */
  readonly joinsUsers: boolean
  readonly joinsAssistants: boolean
  /** Whether the first turn behind the head must be a user's. */
  readonly needsUserFirst: boolean
  /** Whether a conversation must have a user turn. */
  readonly needsUser: boolean
}

/** The calls and results that a template shows, found by probes. */
export interface CallDemands {
  readonly arguments: ArgumentsForm
  readonly ids: CallIdForm
  /** The content of a turn that has calls and no text. */
  readonly emptyContent: '' | null
  /** Whether the calls of a turn must be text of its content, as JSON. */
  readonly callsAsText: boolean
  /** Whether results must be turns of the user. */
  readonly resultsAsUser: boolean
  /** Whether each call needs a turn of its own. */
  readonly splitsCalls: boolean
  /** Whether the text beside calls needs a turn of its own. */
  readonly splitsText: boolean
  /** A user turn right behind a result: kept, behind an empty answer, or a part of the result. */
  readonly userAfterResult: 'kept' | 'answered' | 'joined'
}

/** The form of conversations that a template accepts and shows. */
export type Demands = BaseDemands & TurnDemands & CallDemands

/** The demands of a template that takes conversations as clients send them. */
export const NO_DEMANDS: Demands = {
  needsToolList: false,
  needsFunctions: false,
  needsSimpleTools: false,
  head: 'many',
  later: 'kept',
  joinsUsers: false,
  joinsAssistants: false,
  needsUserFirst: false,
  needsUser: false,
  arguments: 'value',
  ids: 'any',
  emptyContent: '',
  callsAsText: false,
  resultsAsUser: false,
  splitsCalls: false,
  splitsText: false,
  userAfterResult: 'kept',
}

/** Ever stricter demands, for a conversation that fails although the probes did not. */
export function* tighten(demands: Demands): Generator<Demands, void, void> {
  const simple: Demands = { ...demands, needsSimpleTools: true }
  yield simple
  const strict: Demands = {
    ...simple,
    head: demands.head === 'none' ? 'none' : 'one',
    later: demands.head === 'none' ? 'user' : 'head',
    joinsUsers: true,
    joinsAssistants: true,
    needsUser: true,
    userAfterResult: demands.userAfterResult === 'kept' ? 'joined' : demands.userAfterResult,
  }
  yield strict
  const plain: Demands = { ...strict, head: 'none', later: 'user', needsUserFirst: true }
  yield plain
  yield { ...plain, callsAsText: true, resultsAsUser: true }
}
