import type { Authority, MitmProxy } from '@svc/mitm'
import { formatAddress, type ListenAddress, readAddress } from '../config/places.ts'
import type { Logger } from '../ports.ts'

/** A proxy that listens, with its authority. */
export interface StartedProxy {
  readonly proxy: Pick<MitmProxy, 'address' | 'port' | 'isExposed' | 'counts' | 'close'>
  readonly authority: Pick<Authority, 'certificate' | 'fingerprint'>
}

/** Options of {@link createListenerSwitch}. */
export interface ListenerSwitchOptions {
  readonly start: (address: ListenAddress) => Promise<StartedProxy>
  readonly logger: Logger
}

/** The listener that follows a setting. */
export interface ListenerSwitch {
  /**
   * Starts, moves or stops the listener: an empty address stops it. An address that failed is tried again. Returns at
   * once; failures are logged and shown.
   */
  follow(address: string): void
  /** The address that was asked for last; empty for none. */
  readonly asked: string
  /** The proxy while it listens. */
  readonly running: StartedProxy | undefined
  /** The reason why the listener does not run although it should. */
  readonly fault: string | undefined
  /** Resolves when every change that was asked for has succeeded or failed. */
  settled(): Promise<void>
  /** Stops listening and gives running requests and tunnels a few seconds. */
  drain(): void
  /** Resolves once everything has ended. */
  close(): Promise<void>
}

/** Time for running requests and tunnels of a listener that moves or stops. */
const MOVE_MS = 30_000
/** Time for them while the server stops (§8). */
const DRAIN_MS = 3000

/** Creates a switch; nothing listens yet. Changes are made one after the other, and only the last of several counts. */
export function createListenerSwitch(options: ListenerSwitchOptions): ListenerSwitch {
  return new LiveSwitch(options)
}

class LiveSwitch implements ListenerSwitch {
  readonly #options: ListenerSwitchOptions
  readonly #ending = new Map<StartedProxy, Promise<void>>()
  #asked = ''
  #reached = ''
  #work: Promise<void> = Promise.resolve()
  #running: StartedProxy | undefined
  #fault: string | undefined
  #isClosing = false

  constructor(options: ListenerSwitchOptions) {
    this.#options = options
  }

  get asked(): string {
    return this.#asked
  }

  get running(): StartedProxy | undefined {
    return this.#running
  }

  get fault(): string | undefined {
    return this.#fault
  }

  settled(): Promise<void> {
    return this.#work
  }

  follow(address: string): void {
    if (this.#isClosing) return
    this.#asked = address
    this.#work = this.#work.then(() => this.#reach())
  }

  drain(): void {
    if (this.#isClosing) return
    this.#isClosing = true
    this.#work = this.#work.then(() => {
      this.#end(DRAIN_MS)
      for (const started of this.#ending.keys()) this.#close(started, DRAIN_MS)
    })
  }

  async close(): Promise<void> {
    this.drain()
    await this.#work
    await Promise.all(this.#ending.values())
  }

  async #reach(): Promise<void> {
    const wanted = this.#asked
    if (wanted === this.#reached && this.#fault === undefined) return
    this.#reached = wanted
    this.#fault = undefined
    this.#end(MOVE_MS)
    const address = readAddress(wanted)
    if (address === undefined || this.#isClosing) return
    try {
      this.#running = await this.#options.start(address)
      this.#report(this.#running)
    } catch (error) {
      this.#fault = describe(error)
      this.#options.logger.error(
        { err: error, address: wanted },
        'the intercepting proxy cannot start; mend the reason, then save mitm_listen anew or restart',
      )
    }
  }

  #report({ proxy, authority }: StartedProxy): void {
    const { logger } = this.#options
    const address = formatAddress({ host: proxy.address, port: proxy.port })
    logger.info({ address, fingerprint: authority.fingerprint }, 'the intercepting proxy is listening')
    if (!proxy.isExposed) return
    logger.warn(
      { address },
      'OTHER MACHINES CAN REACH THE INTERCEPTING PROXY, which asks for no credentials: anyone there can use it; listen on a loopback address',
    )
  }

  /** Stops listening at once; connections may go on for a while. */
  #end(graceMs: number): void {
    const started = this.#running
    if (started === undefined) return
    this.#running = undefined
    this.#options.logger.info({}, 'the intercepting proxy stops listening')
    this.#close(started, graceMs)
  }

  #close(started: StartedProxy, graceMs: number): void {
    const before = this.#ending.get(started)
    const closed = Promise.all([before, started.proxy.close({ graceMs })]).then(() => {
      this.#ending.delete(started)
    })
    this.#ending.set(started, closed)
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
