import * as z from 'zod'
import { defineSection, option } from '../option.ts'
import { webUrl } from '../places.ts'
import { duration, lifetime } from '../quantities.ts'
import { choice, count, TEXT_FORMS, text, toggle } from '../text-kind.ts'

/** A secret that cannot be guessed. */
const secret = z
  .string()
  .regex(/^\P{Cc}{32,4096}$/u)
  .register(TEXT_FORMS, {
    placeholder: 'TEXT',
    form: 'text of 32 characters or more without control characters',
    shape: 'single',
  })

export const accounts = defineSection({
  heading: 'User accounts',
  options: {
    authEnabled: option(toggle, {
      flag: 'auth-enabled',
      env: ['SVC_AUTH'],
      default: 'false',
      about: 'user accounts, sessions and keys of their own',
    }),
    authAdminEmail: option(text, {
      flag: 'auth-admin-email',
      env: ['SVC_ADMIN_EMAIL'],
      about: 'the address that becomes administrator when it signs in',
    }),
    adminEmailStrict: option(toggle, {
      flag: 'auth-admin-email-strict',
      env: ['SVC_ADMIN_EMAIL_STRICT'],
      default: 'false',
      about: 'only a verified or approved account with that address',
    }),
    authRegistrationMode: option(choice('open', 'approval', 'invite'), {
      flag: 'auth-registration-mode',
      env: ['SVC_REGISTRATION_MODE'],
      default: 'approval',
      about: 'who may register: anybody, with the approval of an administrator, or with an invite',
    }),
    disableLocalAuth: option(toggle, {
      flag: 'disable-local-auth',
      env: ['SVC_DISABLE_LOCAL_AUTH'],
      default: 'false',
      about: 'no passwords: identity providers alone',
    }),
    authRateLimit: option(count, {
      flag: 'auth-rate-limit',
      env: ['SVC_AUTH_RATE_LIMIT'],
      default: '5',
      about: 'failed log-ins a minute of an address at an account; 0 = no limit',
    }),
    authApiKeyHmacSecret: option(secret, {
      flag: 'auth-api-key-hmac-secret',
      env: ['SVC_AUTH_HMAC_SECRET'],
      shownDefault: 'made once and kept in the data path',
      about: 'secret under which keys, sessions and invites are stored; servers on one database need the same',
      secret: true,
    }),
    defaultApiKeyExpiryMs: option(lifetime, {
      flag: 'default-api-key-expiry',
      env: ['SVC_DEFAULT_API_KEY_EXPIRY'],
      shownDefault: 'for ever',
      about: 'how long new user keys are valid, such as 90d',
    }),
    authOutageGraceMs: option(duration({ max: '1h' }), {
      flag: 'auth-outage-grace',
      env: ['SVC_AUTH_OUTAGE_GRACE'],
      default: '0s',
      about: 'how long callers who were known go on while the database is away; 0 = not at all',
    }),
    codehostClientId: option(text, {
      env: ['CODEHOST_CLIENT_ID'],
      about: 'id of the OAuth application at the code host; turns accounts on',
    }),
    codehostClientSecret: option(text, {
      env: ['CODEHOST_CLIENT_SECRET'],
      about: 'its secret',
      secret: true,
    }),
    disableStats: option(toggle, {
      flag: 'disable-stats',
      env: ['SVC_DISABLE_STATS'],
      default: 'false',
      about: 'record no usage; quotas count all the same',
    }),
    endUserNames: option(choice('plain', 'hashed'), {
      flag: 'end-user-names',
      env: ['SVC_END_USER_NAMES'],
      default: 'plain',
      about: 'how usage and limits store the end users whom requests name: as they are, or as a hash under the secret',
    }),
    maxUsageLabels: option(count, {
      flag: 'max-usage-labels',
      env: ['SVC_MAX_USAGE_LABELS'],
      default: '1000',
      about: 'end users, and values of each tag, that usage keeps apart in a day; further ones are summed as (other)',
    }),
    codehostBaseUrl: option(webUrl, {
      env: ['CODEHOST_BASE_URL'],
      shownDefault: 'the public host',
      about: 'code host of an enterprise',
    }),
    codehostApiUrl: option(webUrl, {
      env: ['CODEHOST_API_URL'],
      shownDefault: 'the public host',
      about: 'its API',
    }),
    oidcIssuer: option(webUrl, {
      env: ['SVC_OIDC_ISSUER'],
      about: 'OpenID Connect issuer',
    }),
    oidcClientId: option(text, {
      env: ['SVC_OIDC_CLIENT_ID'],
      about: 'client id at the issuer; turns accounts on',
    }),
    oidcClientSecret: option(text, {
      env: ['SVC_OIDC_CLIENT_SECRET'],
      about: 'its secret',
      secret: true,
    }),
  },
})
