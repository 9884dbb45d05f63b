import { type Fields, isFields, toFields, toList, toNumber, toText } from '@svc/proxy/replies'

/** Converts `logprobs` and `top_logprobs` of the chat route to the options of the completions route. */
export function toCompletionOptions({ logprobs, top_logprobs: top, ...options }: Fields): Fields {
  return logprobs === true ? { ...options, logprobs: (toNumber(top) ?? 0) > 0 ? top : true } : options
}

/** Reads token probabilities in the chat format; converts the lists of the completions format. */
export function readLogprobs(logprobs: unknown): unknown {
  if (!isFields(logprobs) || !Array.isArray(logprobs.tokens)) return logprobs
  const own = toList(logprobs.token_logprobs)
  const top = toList(logprobs.top_logprobs)
  const content = logprobs.tokens.flatMap((token, index) =>
    toEntry(token, own[index]).map((entry) => ({ ...entry, top_logprobs: readAlternatives(top[index]) })),
  )
  return { content }
}

function readAlternatives(top: unknown): Fields[] {
  return Object.entries(toFields(top)).flatMap(([token, logprob]) => toEntry(token, logprob))
}

/** The first token of a text has no probability. */
function toEntry(token: unknown, logprob: unknown): { readonly token: string; readonly logprob: number }[] {
  const [text, number] = [toText(token), toNumber(logprob)]
  return text === undefined || number === undefined ? [] : [{ token: text, logprob: number }]
}
