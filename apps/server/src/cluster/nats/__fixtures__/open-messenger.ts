import { eventually, type NatsUser, patienceMs, type RunningNats } from '@svc/test-kit'
import { systemClock } from '../../../clock.ts'
import type { Messenger } from '../../contract/messenger.ts'
import { createNatsMessenger, type NatsMessenger, type NatsMessengerOptions } from '../create-nats-messenger.ts'

/** A messenger that ends with its scope. */
export type TestMessenger = NatsMessenger & AsyncDisposable & { readonly lines: readonly string[] }

/** Connects to a server of a test, with the rights of its service unless others are given. */
export async function openMessenger(
  nats: Pick<RunningNats, 'url' | 'service'>,
  options: Partial<NatsMessengerOptions> & { readonly user?: NatsUser } = {},
): Promise<TestMessenger> {
  const lines: string[] = []
  const note = (fields: Readonly<Record<string, unknown>>, message: string): void => {
    lines.push(fields.err === undefined ? message : `${message}: ${String(fields.err)}`)
  }
  const { user = nats.service, ...rest } = options
  const messenger = await createNatsMessenger({
    url: nats.url,
    name: 'test',
    credentials: user,
    inboxPrefix: 'svc.inbox.test',
    // A machine under load may need more than one attempt.
    firstConnectionMs: patienceMs(),
    clock: systemClock,
    logger: { debug: note, info: () => undefined, warn: note, error: note },
    ...rest,
  })
  return Object.assign(messenger, { lines, [Symbol.asyncDispose]: () => messenger.close() })
}

/** Resolves when the server knows every subscription of a messenger that may use `test.>`. */
export async function settle(messenger: Messenger): Promise<void> {
  let isHere = false
  const end = messenger.subscribe('test.echo', () => {
    isHere = true
  })
  await eventually(() => {
    messenger.publish('test.echo', {})
    if (!isHere) throw new Error('no echo yet')
  })
  end()
}
