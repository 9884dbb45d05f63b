import { constants } from 'node:http2'
import { status } from '@grpc/grpc-js'
import { expect, it } from 'vitest'
import { decodePercent, readHttpStatus, readReset, readTrailers } from './call-status.ts'

/** The table of `http-grpc-status-mapping.md` in the gRPC repository. */
it.each([
  [400, status.INTERNAL],
  [401, status.UNAUTHENTICATED],
  [403, status.PERMISSION_DENIED],
  [404, status.UNIMPLEMENTED],
  [429, status.UNAVAILABLE],
  [502, status.UNAVAILABLE],
  [503, status.UNAVAILABLE],
  [504, status.UNAVAILABLE],
  [200, status.UNKNOWN],
  [302, status.UNKNOWN],
  [500, status.UNKNOWN],
])('reads HTTP status %i as status %i', (http, code) => {
  expect(readHttpStatus(http)).toMatchObject({ code, details: `the backend answered with HTTP status ${http}` })
})

/** The table of `PROTOCOL-HTTP2.md` in the gRPC repository. */
it.each([
  ['NGHTTP2_NO_ERROR', status.INTERNAL, 'Received RST_STREAM with code 0 before a status came'],
  ['NGHTTP2_PROTOCOL_ERROR', status.INTERNAL, 'Received RST_STREAM with code 1'],
  ['NGHTTP2_INTERNAL_ERROR', status.INTERNAL, 'Received RST_STREAM with code 2'],
  ['NGHTTP2_FLOW_CONTROL_ERROR', status.INTERNAL, 'Received RST_STREAM with code 3'],
  ['NGHTTP2_FRAME_SIZE_ERROR', status.INTERNAL, 'Received RST_STREAM with code 6'],
  ['NGHTTP2_REFUSED_STREAM', status.UNAVAILABLE, 'the backend refused the stream'],
  ['NGHTTP2_CANCEL', status.CANCELLED, 'the backend cancelled the call'],
  ['NGHTTP2_COMPRESSION_ERROR', status.INTERNAL, 'Received RST_STREAM with code 9'],
  ['NGHTTP2_ENHANCE_YOUR_CALM', status.RESOURCE_EXHAUSTED, 'the backend is out of bandwidth or memory'],
  ['NGHTTP2_INADEQUATE_SECURITY', status.PERMISSION_DENIED, 'the backend wants a connection that is better secured'],
] as const)('reads a reset with %s', (name, code, details) => {
  expect(readReset(constants[name])).toEqual({ code, details })
})

it('reads status, text and metadata of trailers', () => {
  const trailers = {
    'grpc-status': '8',
    'grpc-message': 'gr%C3%BC%C3%9Fe 100%25',
    'svc-error-kind': 'too_large',
    'trace-bin': 'AAEC',
    odd: 'grüße',
  }
  expect(readTrailers(trailers, 200)).toEqual({
    code: status.RESOURCE_EXHAUSTED,
    details: 'grüße 100%',
    trailers: { 'svc-error-kind': 'too_large' },
  })
})

it('takes the status of gRPC where there is one, whatever HTTP says', () => {
  expect(readTrailers({ 'grpc-status': '5', 'grpc-message': 'no face' }, 404)).toMatchObject({
    code: status.NOT_FOUND,
    details: 'no face',
  })
  expect(readTrailers({}, 503)).toMatchObject({ code: status.UNAVAILABLE })
})

it('reads a status without text, and metadata that comes again or is none of gRPC', () => {
  const trailers = {
    ':status': '200',
    'grpc-status': '0',
    'x-first': ['a', 'b'] as unknown as string,
    'x-none': [] as unknown as string,
    'x-empty': '',
    'x-edges': ' ~',
    'x-below': '\u001f',
    'x-above': '\u007f',
  }
  expect(readTrailers(trailers, 200)).toEqual({
    code: status.OK,
    details: '',
    trailers: { 'x-first': 'a', 'x-empty': '', 'x-edges': ' ~' },
  })
  expect(readTrailers({ 'grpc-status': ['1', '2'] as unknown as string }, 200).code).toBe(status.UNKNOWN)
  expect(readTrailers({ 'grpc-status': '999999999' }, 200).code).toBe(999_999_999)
})

it('reads an error of HTTP with the metadata beside it', () => {
  expect(readTrailers({ 'x-why': 'busy' }, 503)).toEqual({
    code: status.UNAVAILABLE,
    details: 'the backend answered with HTTP status 503',
    trailers: { 'x-why': 'busy' },
  })
})

it.each(['banana', '', '-1', '1.5', '99999999999'])('reads the status "%s" as unknown', (text) => {
  expect(readTrailers({ 'grpc-status': text }, 200)).toMatchObject({
    code: status.UNKNOWN,
    details: 'the backend ended the call with a status that is not a number',
  })
})

it('reads trailers without a status as unknown', () => {
  expect(readTrailers({}, 200)).toEqual({
    code: status.UNKNOWN,
    details: 'the backend ended the call without a status',
  })
})

it.each([
  ['plain', 'plain'],
  ['100%', '100%'],
  ['100%25', '100%'],
  ['%2Fa%23b', '/a#b'],
  ['%zz and %C3%BC', '%zz and ü'],
  ['%F0%9F%98%80', '😀'],
  ['%FF', '\uFFFD'],
  ['%', '%'],
  ['%4', '%4'],
])('decodes the text "%s"', (encoded, text) => {
  expect(decodePercent(encoded)).toBe(text)
})
