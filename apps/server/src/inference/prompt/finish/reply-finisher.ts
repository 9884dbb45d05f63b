import type { ReplyRules } from './reply-rules.ts'
import {
  chainStages,
  changeWhole,
  putBefore,
  removePrefix,
  removeSuffix,
  type TextStage,
  trimBlanks,
} from './text-stage.ts'

/** What finishing depends on beside the rules of the model. */
export interface FinishOptions {
  /**
   * The prompt, where the client or the model (`parameters.echo`) wants it before the reply; the rules apply to it too.
   *
   * @default no echo
   */
  readonly echo?: string | undefined
}

/**
 * Finishes one reply while it arrives: prefix and echo before it, then the rules of the model in the order of
 * {@link ReplyRules}. What the calls answer is, put together, {@link finishReply} of the whole text; nothing that a
 * rule takes away is ever answered.
 *
 * - Without rules every piece is answered as it is.
 * - `trimspace` and `trimsuffix` hold back white space until something follows, and an end that may be a suffix.
 * - With `cutstrings` or `extract_regex` nothing is settled before the end: the whole text comes with `end`.
 *
 * One finisher serves one choice, and stands before reasoning and tool calls are told apart.
 */
export interface ReplyFinisher {
  /**
   * Takes a piece of the reply and answers what can be sent; may be empty.
   *
   * @throws {SvcError} `internal`, code `reply_too_long`, for a text that is too long to be held back
   */
  push(piece: string): string
  /**
   * Answers the rest. Called once, also for a reply without text.
   *
   * @throws {SvcError} as `push`, and when a pattern takes too long
   */
  end(): string
}

/** The finisher of one choice. */
export function createReplyFinisher(rules: ReplyRules, { echo = '' }: FinishOptions = {}): ReplyFinisher {
  const stages: TextStage[] = []
  if (echo !== '' || rules.prefix !== '') stages.push(putBefore(echo + rules.prefix))
  if (rules.cut.length > 0 || rules.extract.length > 0) stages.push(changeWhole((text) => applyPatterns(rules, text)))
  for (const prefix of rules.prefixes) stages.push(removePrefix(prefix), trimBlanks())
  for (const suffix of rules.suffixes) stages.push(removeSuffix(suffix), trimBlanks())
  return chainStages(stages)
}

/** A whole reply finished at once. @throws {SvcError} as {@link ReplyFinisher} */
export function finishReply(rules: ReplyRules, text: string, options: FinishOptions = {}): string {
  const finisher = createReplyFinisher(rules, options)
  return finisher.push(text) + finisher.end()
}

function applyPatterns({ cut, extract }: ReplyRules, text: string): string {
  const left = cut.reduce((rest, pattern) => pattern.cut(rest), text)
  const found = extract.map((pattern) => pattern.first(left)).join('')
  return found === '' ? left : found
}
