import { SvcError } from '@svc/errors'

/**
 * Asks with a form of reply that some models of a provider refuse, and without it after such a refusal. The refusal is
 * remembered.
 */
export type AskWithForm = <Reply>(ask: (withForm: boolean) => Promise<Reply>) => Promise<Reply>

/** Creates the memory of one model and route. */
export function createNegotiation(): AskWithForm {
  let isRefused = false
  return async (ask) => {
    if (isRefused) return await ask(false)
    try {
      return await ask(true)
    } catch (error) {
      if (!refusesForm(error)) throw error
      const reply = await ask(false)
      isRefused = true
      return reply
    }
  }
}

/** Statuses of a body that is refused. */
const REFUSALS: ReadonlySet<unknown> = new Set([400, 422])

/** Providers name the field that they refuse. */
function refusesForm(error: unknown): boolean {
  return SvcError.is(error) && REFUSALS.has(error.details?.status) && error.message.includes('response_format')
}
