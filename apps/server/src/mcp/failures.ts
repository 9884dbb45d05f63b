import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { SvcError } from '@svc/errors'
import { escapeLine } from '../logging/terminal-text.ts'
import { MAX_ERROR_TEXT } from './limits.ts'

/** Creates the failure of a server. */
export function serverFailed(server: string, reason: string, cause?: unknown): SvcError {
  return new SvcError('upstream_failed', `the MCP server "${server}" ${reason}`, {
    code: 'mcp_server_failed',
    ...(cause === undefined ? {} : { cause }),
  })
}

/** Creates the failure of a server that sends a message above the limit. */
export function messageTooLarge(server: string, maxBytes: number): SvcError {
  return new SvcError('too_large', `the MCP server "${server}" sent a message of more than ${maxBytes} bytes`, {
    code: 'mcp_message_too_large',
  })
}

/** Creates the failure of a server whose message is nested too deeply, or has too many values. */
export function messageTooComplex(server: string): SvcError {
  return new SvcError(
    'too_large',
    `the MCP server "${server}" sent a message with too many or too deeply nested values`,
    {
      code: 'mcp_message_too_complex',
    },
  )
}

/** Creates the failure of a server that does not answer in time. */
function serverTimedOut(server: string, what: string): SvcError {
  return new SvcError('timeout', `the MCP server "${server}" did not ${what} in time`, {
    code: 'mcp_timeout',
    details: { upstream: true },
  })
}

/** Creates the failure of a call whose caller has left. */
export function callCancelled(signal: AbortSignal): SvcError {
  return SvcError.is(signal.reason)
    ? signal.reason
    : new SvcError('cancelled', 'the call of the tool was cancelled', { cause: signal.reason })
}

/**
 * Converts what the protocol library throws. Wrong arguments become `invalid_request`.
 *
 * @param what the verb for a time limit, such as `answer the call`
 */
export function toServerFailure(
  error: unknown,
  { server, what }: { readonly server: string; readonly what: string },
): SvcError {
  if (SvcError.is(error)) return error
  if (error instanceof McpError) return fromProtocol(error, server, what)
  if (error instanceof StreamableHTTPError) return fromStatus(error, server)
  if (isHttpError(error)) return serverFailed(server, `answers with the status ${error.code}`, error)
  const text = error instanceof Error ? error.message : String(error)
  return error instanceof Error && 'issues' in error
    ? serverFailed(server, 'answered with something that the protocol does not have', error)
    : serverFailed(server, `failed: ${toWords(text)}`, error)
}

function fromProtocol(error: McpError, server: string, what: string): SvcError {
  const said = toWords(error.message.replace(/^MCP error -?\d+: /, ''))
  switch (error.code) {
    case ErrorCode.RequestTimeout:
      return serverTimedOut(server, what)
    case ErrorCode.ConnectionClosed:
      return serverFailed(server, 'closed the connection', error)
    case ErrorCode.InvalidParams:
      return new SvcError('invalid_request', `the MCP server "${server}" refused the request: ${said}`, {
        code: 'mcp_invalid_request',
        cause: error,
      })
    default:
      return serverFailed(server, `reports: ${said}`, error)
  }
}

function fromStatus(error: StreamableHTTPError, server: string): SvcError {
  const status = error.code ?? 0
  if (status === 401 || status === 403) return serverFailed(server, `refuses the credentials (status ${status})`, error)
  if (status > 0) return serverFailed(server, `answers with the status ${status}`, error)
  return serverFailed(server, 'answers with something else than MCP', error)
}

function isHttpError(error: unknown): error is Error & { readonly code: number } {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && error.code >= 300
}

/** Words of a server, on one line and cut. */
export function toWords(text: string): string {
  const line = escapeLine(
    text
      .slice(0, 4 * MAX_ERROR_TEXT)
      .replace(/\s+/g, ' ')
      .trim(),
  )
  return line.length <= MAX_ERROR_TEXT ? line : `${line.slice(0, MAX_ERROR_TEXT)}…`
}
