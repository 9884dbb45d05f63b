import { runContextSize } from './context-size.ts'
import { joinTokens } from './detokenize.ts'
import type { OperationContext } from './operation-runner.ts'
import { runTokenize } from './tokenize.ts'

/** Tokens that a backend may add at the ends of a text. */
const MARKS = 4

/** Cuts a text to the context of its model; undefined when it fits, or the context is not known. */
export async function shortenText(text: string, context: OperationContext): Promise<string | undefined> {
  const told = (await runContextSize({ kind: 'context-size' }, context)).tokens
  const limit = (told > 0 ? told : (context.model.contextSize ?? 0)) - MARKS
  if (limit <= 0) return undefined
  const { tokens } = await runTokenize({ kind: 'tokenize', text }, context)
  return tokens.length > limit ? joinTokens(tokens.slice(0, limit), context) : undefined
}
