import { useEffect, useState } from 'react'
import { toSocketUrl } from '../base-path.ts'
import { LogBuffer, type LogLine, readMessage, type SentLine } from './log-lines.ts'

/** Source of new lines: the socket, polling, or none while it connects or is paused. */
export type LogLink = 'connecting' | 'socket' | 'polling' | 'paused'

/** Where the output of a model's backends comes from. */
export interface LogSource {
  /** The path of its WebSocket. */
  readonly socketPath: string
  /** All lines that the server has, the oldest first. */
  readonly fetchLines: (signal: AbortSignal) => Promise<readonly SentLine[]>
}

/** The output of a model's backends as it comes. */
export interface Log {
  readonly lines: readonly LogLine[]
  readonly link: LogLink
  /** The reason why no lines come; undefined while they do. */
  readonly error: unknown
  /** Whether the first lines are there. */
  readonly isRead: boolean
}

const POLL_MS = 2_000
const DRAW_MS = 100
/** A hidden page closes its socket after this time. */
const HIDDEN_MS = 60_000
/** Sockets that fail in a row before the page polls instead. */
const MAX_FAILURES = 2
const RETRY_MS = 1_000
/** Answers after which a page that polls tries the socket once more. */
const POLLS_UNTIL_SOCKET = 15

/**
 * Follows the output of a model over a WebSocket. Without a socket, it asks every two seconds.
 *
 * @param source the same object at every call for the same output
 */
export function useLog(source: LogSource): Log {
  const [log, setLog] = useState<Log>({ lines: [], link: 'connecting', error: undefined, isRead: false })
  useEffect(() => {
    const buffer = new LogBuffer()
    let state: Omit<Log, 'lines'> = { link: 'connecting', error: undefined, isRead: false }
    let drawing: ReturnType<typeof setTimeout> | undefined
    // many lines within a moment are drawn once
    const draw = () => {
      drawing ??= setTimeout(() => {
        drawing = undefined
        setLog({ ...state, lines: buffer.read() })
      }, DRAW_MS)
    }
    const end = followLog(source, buffer, (changes) => {
      state = { ...state, ...changes }
      draw()
    })
    setLog({ ...state, lines: [] })
    return () => {
      clearTimeout(drawing)
      end()
    }
  }, [source])
  return log
}

/** Fills a buffer until it is ended. @param tell called after every change, with other changes */
export function followLog(
  { socketPath, fetchLines }: LogSource,
  buffer: LogBuffer,
  tell: (changes: Partial<Omit<Log, 'lines'>>) => void,
): () => void {
  const ended = new AbortController()
  let socket: WebSocket | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let hiding: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let polls = 0

  const open = () => {
    let wasRead = false
    tell({ link: 'connecting' })
    const opened = new WebSocket(toSocketUrl(socketPath))
    socket = opened
    opened.onopen = () => {
      tell({ link: 'socket', error: undefined })
    }
    opened.onmessage = ({ data }) => {
      const message = typeof data === 'string' ? readMessage(data) : undefined
      if (message?.type === 'initial') buffer.merge(message.lines)
      if (message?.type === 'line') buffer.append([message.line])
      if (message?.type === 'missed')
        buffer.append([{ timestamp: new Date().toISOString(), stream: 'stdout', text: '', missed: message.count }])
      if (message === undefined) return
      wasRead = true
      failures = 0
      tell({ isRead: true })
    }
    opened.onclose = () => {
      if (socket !== opened) return
      socket = undefined
      if (ended.signal.aborted) return
      // a server opens sockets also for a worker that it cannot reach
      if (!wasRead) failures += 1
      if (failures >= MAX_FAILURES) void poll()
      else timer = setTimeout(open, RETRY_MS)
    }
  }

  const poll = async () => {
    try {
      buffer.merge(await fetchLines(ended.signal))
      tell({ link: 'polling', error: undefined, isRead: true })
    } catch (error) {
      if (ended.signal.aborted) return
      tell({ link: 'polling', error })
    }
    if (ended.signal.aborted) return
    polls += 1
    timer = setTimeout(() => {
      if (document.hidden) pause()
      else if (polls < POLLS_UNTIL_SOCKET) void poll()
      else retrySocket()
    }, POLL_MS)
  }

  const retrySocket = () => {
    polls = 0
    failures = MAX_FAILURES - 1
    open()
  }

  const pause = () => {
    clearTimeout(timer)
    const closing = socket
    socket = undefined
    closing?.close()
    tell({ link: 'paused' })
  }

  const onVisibility = () => {
    clearTimeout(hiding)
    if (document.hidden) {
      hiding = setTimeout(pause, HIDDEN_MS)
    } else if (socket === undefined) {
      clearTimeout(timer)
      failures = 0
      open()
    }
  }

  document.addEventListener('visibilitychange', onVisibility)
  open()
  return () => {
    ended.abort()
    clearTimeout(timer)
    clearTimeout(hiding)
    document.removeEventListener('visibilitychange', onVisibility)
    const closing = socket
    socket = undefined
    closing?.close()
  }
}
