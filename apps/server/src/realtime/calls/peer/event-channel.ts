import { SvcError } from '@svc/errors'
import type { DataChannel } from 'node-datachannel'

/** The name of the channel of events, as clients call it. */
const CHANNEL_NAME = 'oai-events'

/** Largest message of a client, bytes. */
export const MAX_MESSAGE_BYTES = 1024 * 1024
/** Messages of a client that wait while another one is taken, and their bytes. */
const MAX_WAITING = 256
const MAX_WAITING_BYTES = 4 * MAX_MESSAGE_BYTES
/** Events that wait for the channel to open, or for a client that is behind. */
const MAX_UNSENT = 1024
const MAX_UNSENT_BYTES = 16 * 1024 * 1024
/** Bytes that the library may hold before senders wait, and at which they go on. */
const HIGH_WATER_BYTES = 1024 * 1024
const LOW_WATER_BYTES = 256 * 1024

/** Events of a call, both ways. */
export interface EventChannel {
  /** Takes the channel of the client. @returns whether it is the one of events, and the first */
  attach(channel: DataChannel): boolean
  /**
   * Sends a text, in the order of the calls. Waits for the channel to open, and while the client is behind.
   *
   * @throws {SvcError} `cancelled` when the call is over; `too_large` for a text that the client does not take
   */
  send(text: string): Promise<void>
  /** When something was sent last by which the client is behind; undefined when it is not. */
  readonly behindSince: number | undefined
  /** Whether everything that was sent has left. */
  readonly isFlushed: boolean
  close(): void
}

/** Parts of {@link createEventChannel}. */
export interface EventChannelOptions {
  readonly now: () => number
  /** Takes a message. The next one waits until it resolves. Must not reject. */
  readonly receive: (text: Uint8Array) => Promise<void>
  /** Something came from the client. */
  readonly onSign: () => void
  /** The client has closed its channel. */
  readonly onClosed: () => void
  /** The client sends or leaves unread too much. */
  readonly onFlood: (reason: string) => void
}

interface Unsent {
  readonly text: string
  readonly bytes: number
  readonly resolve: () => void
  readonly reject: (error: SvcError) => void
}

/** Creates the channel of a call, before the client has opened it. */
export function createEventChannel(options: EventChannelOptions): EventChannel {
  const inbox = createMessages(options)
  const unsent: Unsent[] = []
  let unsentBytes = 0
  let channel: DataChannel | undefined
  let behindSince: number | undefined
  let isClosed = false

  function flush(): void {
    while (channel?.isOpen() === true && channel.bufferedAmount() < HIGH_WATER_BYTES) {
      const next = unsent.shift()
      if (next === undefined) {
        behindSince = undefined
        return
      }
      unsentBytes -= next.bytes
      sendNow(channel, next)
    }
    behindSince = unsent.length === 0 ? undefined : (behindSince ?? options.now())
  }

  function gone(): void {
    if (!isClosed) options.onClosed()
  }

  return {
    attach(opened) {
      if (isClosed || channel !== undefined || opened.getLabel() !== CHANNEL_NAME) return false
      channel = opened
      opened.setBufferedAmountLowThreshold(LOW_WATER_BYTES)
      opened.onBufferedAmountLow(flush)
      // A channel is open when the library tells of it. One that is not was closed before anybody listened.
      opened.onOpen(() => (opened.isOpen() ? flush() : gone()))
      opened.onClosed(gone)
      opened.onMessage((message) => {
        options.onSign()
        inbox.add(typeof message === 'string' ? Buffer.from(message) : undefined)
      })
      if (opened.isOpen()) flush()
      else gone()
      return true
    },
    send(text) {
      if (isClosed) return Promise.reject(callOver())
      return new Promise((resolve, reject) => {
        const bytes = Buffer.byteLength(text)
        unsent.push({ text, bytes, resolve, reject })
        unsentBytes += bytes
        flush()
        if (unsent.length > MAX_UNSENT || unsentBytes > MAX_UNSENT_BYTES) options.onFlood('the client reads no events')
      })
    },
    get behindSince() {
      return behindSince
    },
    get isFlushed() {
      return unsent.length === 0 && (channel?.isOpen() !== true || channel.bufferedAmount() === 0)
    },
    close() {
      if (isClosed) return
      isClosed = true
      inbox.close()
      for (const { reject } of unsent.splice(0)) reject(callOver())
      unsentBytes = 0
      channel?.close()
    },
  }
}

function sendNow(channel: DataChannel, { text, bytes, resolve, reject }: Unsent): void {
  if (bytes > channel.maxMessageSize()) {
    reject(new SvcError('too_large', 'an event is larger than the client takes', { code: 'event_too_large' }))
    return
  }
  try {
    channel.sendMessage(text)
    resolve()
  } catch {
    reject(callOver())
  }
}

/** Takes the messages of a client one after the other. */
function createMessages({ receive, onFlood }: Pick<EventChannelOptions, 'receive' | 'onFlood'>) {
  const waiting: Uint8Array[] = []
  let waitingBytes = 0
  let isBusy = false
  let isClosed = false

  async function work(): Promise<void> {
    isBusy = true
    for (let next = waiting.shift(); next !== undefined && !isClosed; next = waiting.shift()) {
      waitingBytes -= next.length
      await receive(next)
    }
    isBusy = false
  }

  return {
    /** @param message undefined for one that is not text */
    add(message: Uint8Array | undefined): void {
      if (isClosed) return
      if (message === undefined) {
        onFlood('messages are text')
        return
      }
      waiting.push(message)
      waitingBytes += message.length
      if (waiting.length > MAX_WAITING || waitingBytes > MAX_WAITING_BYTES) onFlood('too many messages are waiting')
      else if (!isBusy) void work()
    },
    close(): void {
      isClosed = true
      waiting.length = 0
    },
  }
}

function callOver(): SvcError {
  return new SvcError('cancelled', 'the call is over', { code: 'call_over' })
}
