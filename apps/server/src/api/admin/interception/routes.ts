import { SvcError } from '@svc/errors'
import { HttpReply } from '../../../http/http-reply.ts'
import { defineRoute, type Route } from '../../../http/route.ts'

/** Options of {@link interceptionRoutes}. */
export interface InterceptionRouteParts {
  /** Gives the certificate of the authority, PEM; undefined before the proxy has run once. */
  readonly readCertificate: () => Promise<string | undefined>
}

/** `GET /api/middleware/proxy-ca.crt`: the certificate that clients of the intercepting proxy trust. */
export function interceptionRoutes({ readCertificate }: InterceptionRouteParts): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/middleware/proxy-ca.crt',
      access: 'any',
      family: 'flat',
      tag: 'pii',
      summary: 'The certificate that clients of the intercepting proxy trust',
      responses: {
        200: { description: 'The certificate, PEM; never its key.', contentType: 'application/x-pem-file' },
        404: { description: 'The intercepting proxy has never run.' },
        412: { description: 'The authority cannot be used; `svc mitm ca` says why.' },
      },
      async handler() {
        const certificate = await readCertificate().catch(hideReason)
        if (certificate === undefined) {
          throw new SvcError('not_found', 'there is no certificate before the intercepting proxy has run')
        }
        return new HttpReply(certificate, {
          headers: {
            'content-type': 'application/x-pem-file',
            'content-disposition': 'attachment; filename="proxy-ca.crt"',
          },
        })
      },
    }),
  ]
}

/** The reason names files of this machine, and any user may ask. */
function hideReason(cause: unknown): never {
  if (!SvcError.is(cause)) throw cause
  throw new SvcError(cause.kind, 'the authority cannot be used; "svc mitm ca" says why', { code: cause.code, cause })
}
