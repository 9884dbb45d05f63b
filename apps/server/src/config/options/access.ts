import { defineSection, option, setting } from '../option.ts'
import { hostsAndNetworks, networks, pathPrefixes } from '../places.ts'
import { lines, notOption } from '../setting-kind.ts'
import { texts, toggle } from '../text-kind.ts'

export const access = defineSection({
  heading: 'Access and safety',
  options: {
    apiKeys: option(texts, {
      flag: 'api-keys',
      env: ['SVC_API_KEY'],
      default: '',
      about:
        'keys that give full access, between commas; prefer the variable or a file: other users see a command line',
      secret: true,
      setting: { api_keys: setting(lines, { secret: true }) },
    }),
    requireAuthOnPublicBind: option(toggle, {
      flag: 'require-auth-on-public-bind',
      env: ['SVC_REQUIRE_AUTH_ON_PUBLIC_BIND'],
      default: 'false',
      about: 'do not start on a public address while no key is set',
    }),
    allowedHosts: option(texts, {
      flag: 'allowed-hosts',
      env: ['SVC_ALLOWED_HOSTS'],
      default: '',
      about: 'host names served while no key is set, beside addresses, localhost and the host of the base URL',
    }),
    contentUrlAllow: option(hostsAndNetworks, {
      flag: 'content-url-allow',
      env: ['SVC_CONTENT_URL_ALLOW'],
      default: '',
      about: 'hosts and networks that URLs inside requests may lead to although they are not public',
    }),
    trustedProxies: option(networks, {
      flag: 'trusted-proxies',
      env: ['SVC_TRUSTED_PROXIES'],
      default: '',
      about: 'proxies whose X-Forwarded headers are believed',
    }),
    pathWithoutAuth: option(pathPrefixes, {
      flag: 'path-without-auth',
      env: ['SVC_PATH_WITHOUT_AUTH'],
      default: '',
      about: 'path prefixes that need no key, between commas',
    }),
    useSubtleKeyComparison: option(toggle, {
      flag: 'use-subtle-key-comparison',
      env: ['SVC_SUBTLE_KEY_COMPARISON'],
      default: 'false',
      about: 'compare keys in constant time; always done, kept for scripts that set it',
    }),
    disableApiKeyRequirementForHttpGet: option(toggle, {
      flag: 'disable-api-key-requirement-for-http-get',
      env: ['SVC_DISABLE_API_KEY_REQUIREMENT_FOR_HTTP_GET'],
      default: 'false',
      about: 'GET on the exempted endpoints needs no key',
    }),
    httpGetExemptedEndpoints: option(texts, {
      flag: 'http-get-exempted-endpoints',
      env: ['SVC_HTTP_GET_EXEMPTED_ENDPOINTS'],
      default: '^/$,^/app(/.*)?$,^/browse(/.*)?$,^/login/?$,^/explorer/?$,^/assets/.*$,^/static/.*$,^/swagger.*$',
      about: 'regular expressions, between commas, over the route patterns that the flag above exempts',
    }),
    disableCsrf: option(toggle, {
      flag: 'disable-csrf',
      env: ['SVC_DISABLE_CSRF'],
      default: 'false',
      about: 'accept unsafe requests from pages of other sites',
      setting: { csrf: setting(notOption, { about: 'refuse unsafe requests from pages of other sites' }) },
    }),
    opaqueErrors: option(toggle, {
      flag: 'opaque-errors',
      env: ['SVC_OPAQUE_ERRORS'],
      default: 'false',
      about: 'errors carry a status and no text',
    }),
  },
})
