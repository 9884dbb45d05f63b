import { defineRequirements } from '../requirement.ts'

/** §5: identity and access of callers. */
export const AUTHENTICATION = defineRequirements([
  {
    id: 'auth:carriers:bearer',
    section: '5.1',
    behavior: '`Authorization: Bearer` carries a shared key.',
    state: 'built',
  },
  {
    id: 'auth:carriers:bearer-user-key',
    section: '5.1',
    behavior: '`Authorization: Bearer` carries a user key.',
    state: 'built',
  },
  {
    id: 'auth:carriers:x-api-key',
    section: '5.1',
    behavior: 'The header `x-api-key` carries a shared key.',
    state: 'built',
  },
  {
    id: 'auth:carriers:xi-api-key',
    section: '5.1',
    behavior: 'The header `xi-api-key` carries a shared key.',
    state: 'built',
  },
  {
    id: 'auth:carriers:headers-user-key',
    section: '5.1',
    behavior: 'The headers `x-api-key` and `xi-api-key` carry a user key.',
    state: 'built',
  },
  {
    id: 'auth:carriers:token-cookie',
    section: '5.1',
    behavior: 'The cookie `token` carries a shared key.',
    state: 'built',
  },
  {
    id: 'auth:carriers:token-cookie-user-key',
    section: '5.1',
    behavior: 'The cookie `token` carries a user key.',
    state: 'built',
  },
  {
    id: 'auth:carriers:session-cookie',
    section: '5.1',
    behavior: 'The cookie `session` carries a session.',
    state: 'built',
  },
  {
    id: 'auth:carriers:first-decides',
    section: '5.1',
    behavior:
      'Where several credentials are sent, the first decides: headers before cookies, in the order of this list.',
    state: 'built',
  },
  { id: 'auth:mode:legacy-flag', section: '5.2', behavior: '`--api-keys` turns shared keys on.', state: 'built' },
  {
    id: 'auth:carriers:empty',
    section: '5.1',
    behavior: 'A header without a key, such as `Authorization: Bearer` alone, is ignored: the next carrier decides.',
    state: 'built',
  },
  {
    id: 'auth:mode:accounts-flag',
    section: '5.2',
    behavior: '`SVC_AUTH` or `--auth-enabled` turns accounts on.',
    state: 'built',
  },
  {
    id: 'auth:mode:accounts-by-client-id',
    section: '5.2',
    behavior: "A client id for the code host's OAuth or for OIDC turns accounts on.",
    state: 'built',
  },
  {
    id: 'auth:mode:both-order',
    section: '5.2',
    behavior:
      'With both modes on, sessions and user keys are checked before shared keys, which still give admin access.',
    state: 'built',
  },
  { id: 'auth:build:always', section: '5.2', behavior: 'Accounts are part of every build.', state: 'built' },
  {
    id: 'auth:database:no-start-without',
    section: '5.2',
    behavior: 'A server whose database cannot be opened refuses to start.',
    state: 'built',
  },
  {
    id: 'auth:host:no-auth',
    section: '5.2',
    behavior:
      'Without auth, a request must be addressed to an IP, `localhost`, the host of `SVC_BASE_URL` or an allowed host; others get 421.',
    state: 'built',
  },
  {
    id: 'auth:host:with-auth',
    section: '5.2',
    behavior: 'With auth configured any host name is served.',
    state: 'built',
  },
  {
    id: 'auth:public-bind:warned',
    section: '5.2',
    behavior: 'The server warns at start when it listens on a public address without auth.',
    state: 'built',
  },
  {
    id: 'auth:public-bind:refused',
    section: '5.2',
    behavior: '`--require-auth-on-public-bind` refuses to start on a public address without auth.',
    state: 'built',
  },
  {
    id: 'auth:p2p:refused',
    section: '5.2',
    behavior: 'The server does not start with `--p2p` and `--federated` and without auth: members could use all of it.',
    state: 'built',
  },
  { id: 'auth-config:accounts:off', section: '5.3', behavior: 'Accounts are off by default.', state: 'built' },
  {
    id: 'auth-config:database:default',
    section: '5.3',
    behavior: 'The database is `database.db` in the data path by default.',
    state: 'built',
  },
  {
    id: 'auth-config:database:variables',
    section: '5.3',
    behavior: '`--auth-database-url`, `SVC_AUTH_DATABASE_URL` or `DATABASE_URL` names another database.',
    state: 'built',
  },
  {
    id: 'auth-config:database:kinds',
    section: '5.3',
    behavior: 'A `postgres://` URL means PostgreSQL, anything else the path of an embedded database.',
    state: 'built',
  },
  {
    id: 'auth-config:codehost:client',
    section: '5.3',
    behavior: '`CODEHOST_CLIENT_ID` and `CODEHOST_CLIENT_SECRET` are the OAuth application.',
    state: 'built',
  },
  {
    id: 'auth-config:codehost:endpoints',
    section: '5.3',
    behavior: '`CODEHOST_BASE_URL` and `CODEHOST_API_URL` name another code host.',
    state: 'built',
  },
  {
    id: 'auth-config:oidc:discovery',
    section: '5.3',
    behavior: '`SVC_OIDC_ISSUER` is the issuer, whose endpoints are found by discovery.',
    state: 'built',
  },
  {
    id: 'auth-config:oidc:client',
    section: '5.3',
    behavior: '`SVC_OIDC_CLIENT_ID` and `SVC_OIDC_CLIENT_SECRET` are the client at the issuer.',
    state: 'built',
  },
  {
    id: 'auth-config:oidc:token-type',
    section: '5.3',
    behavior: 'An ID token whose type is not `JWT` signs nobody in. A token may say nothing of its type.',
    state: 'built',
  },
  {
    id: 'auth-config:oidc:loopback-http',
    section: '5.3',
    behavior:
      'An issuer over plain HTTP is accepted on loopback only: an address of 127.0.0.0/8, `::1`, `localhost` or a name below it.',
    state: 'built',
  },
  {
    id: 'auth-config:base-url:callbacks',
    section: '5.3',
    behavior: '`SVC_BASE_URL` is the base of the callbacks.',
    state: 'built',
  },
  {
    id: 'auth-config:admin-email:unset',
    section: '5.3',
    behavior: 'No address is promoted unless `SVC_ADMIN_EMAIL` is set.',
    state: 'built',
  },
  {
    id: 'auth-config:admin-email:strict',
    section: '5.3',
    behavior: '`SVC_ADMIN_EMAIL_STRICT` promotes verified or approved accounts only.',
    state: 'built',
  },
  {
    id: 'auth-config:registration:default',
    section: '5.3',
    behavior: 'The registration mode is `approval` unless `SVC_REGISTRATION_MODE` says otherwise.',
    state: 'built',
  },
  {
    id: 'auth-config:registration:values',
    section: '5.3',
    behavior: 'The registration mode is `open`, `approval` or `invite`.',
    state: 'built',
  },
  {
    id: 'auth-config:local-auth:default',
    section: '5.3',
    behavior: 'Local accounts are on unless `SVC_DISABLE_LOCAL_AUTH` or `--disable-local-auth` is set.',
    state: 'built',
  },
  {
    id: 'auth-config:local-auth:providers-go-on',
    section: '5.3',
    behavior: 'With local accounts disabled, OAuth and OIDC still work.',
    state: 'built',
  },
  {
    id: 'auth-config:local-auth:form-hidden',
    section: '5.3',
    behavior: 'The web interface shows the password form only if the status lists the local provider.',
    state: 'built',
  },
  {
    id: 'auth-config:callback:codehost',
    section: '5.3',
    behavior: 'The callback for the code host is `{SVC_BASE_URL}/api/auth/github/callback`.',
    state: 'built',
  },
  {
    id: 'auth-config:callback:oidc',
    section: '5.3',
    behavior: 'The callback for OIDC is `{SVC_BASE_URL}/api/auth/oidc/callback`.',
    state: 'built',
  },
  {
    id: 'auth-config:oidc:scopes',
    section: '5.3',
    behavior: 'OIDC asks for `openid`, `profile` and `email`.',
    state: 'built',
  },
  {
    id: 'auth-config:invite:cookie',
    section: '5.3',
    behavior: 'An `invite_code` on the sign-in URL is kept in a cookie until the OAuth flow ends.',
    state: 'built',
  },
  {
    id: 'auth-config:secret:kept',
    section: '5.3',
    behavior:
      'The secret of the server is made with a new database alone, readable by its user alone. A server or command without it, or with another one, does not start: it says how to restore or rotate it, and changes nothing. The right secret brings every key and session back.',
    state: 'built',
  },
  {
    id: 'auth-config:secret:rotated',
    section: '5.3',
    behavior:
      '`svc secret rotate` gives a database a new secret while no server runs. Sessions, API keys and unused invites end; accounts and passwords stay.',
    state: 'built',
  },
  { id: 'access:admin:everything', section: '5.4', behavior: 'An admin may use every endpoint.', state: 'built' },
  {
    id: 'access:user:inference',
    section: '5.4',
    behavior: 'A user may use the inference endpoints.',
    state: 'built',
  },
  { id: 'access:user:own-usage', section: '5.4', behavior: 'A user may see their own usage.', state: 'built' },
  { id: 'access:user:version', section: '5.4', behavior: 'A user may read `GET /version`.', state: 'built' },
  { id: 'access:user:features', section: '5.4', behavior: 'A user may read `GET /api/features`.', state: 'built' },
  { id: 'access:user:stores', section: '5.4', behavior: 'A user may use `POST /stores/*`.', state: 'built' },
  {
    id: 'access:user:cors-proxy',
    section: '5.4',
    behavior: 'A user may use `GET /api/cors-proxy`.',
    state: 'built',
  },
  {
    id: 'access:user:not-admin',
    section: '5.4',
    behavior: 'A caller who is not an admin gets 403 on admin endpoints.',
    state: 'built',
  },
  {
    id: 'access:csrf:cross-site',
    section: '5.4',
    behavior:
      'A change that a page of another origin asks for is refused with 403, unless a credential in a header let the request in.',
    state: 'built',
  },
  {
    id: 'access:csrf:let-in-by-header',
    section: '5.4',
    behavior:
      'A header exempts from the cross-site check only when its value let the request in. On a server without auth, and on public routes called with a wrong key, no header exempts.',
    state: 'built',
  },
  {
    id: 'access:csrf:same-site-without-origin',
    section: '5.4',
    behavior: 'A change with `Sec-Fetch-Site: same-site` or `cross-site` and without `Origin` is refused with 403.',
    state: 'built',
  },
  {
    id: 'access:csrf:sockets',
    section: '5.4',
    behavior: 'A WebSocket that a page of another origin opens is refused with 403 at its handshake.',
    state: 'built',
  },
  {
    id: 'access:csrf:programs',
    section: '5.4',
    behavior:
      'Programs, which send neither `Origin` nor `Sec-Fetch-Site`, use a server without auth with and without a key, and with any type of body.',
    state: 'built',
  },
  {
    id: 'access:user:features-and-models',
    section: '5.4',
    behavior:
      'Features and models can be granted to each user. Routes refuse a model that is not granted, and lists leave it out.',
    state: 'built',
  },
  {
    id: 'access:models:through-router',
    section: '5.4',
    behavior: 'A list of models that names a router or an alias allows the models behind it, when called through it.',
    state: 'built',
  },
  {
    id: 'access:quotas:alias-and-router',
    section: '5.4',
    behavior: 'A quota of an alias or a router counts the requests that are called by it.',
    state: 'built',
  },
  {
    id: 'access:ended:models',
    section: '5.4',
    behavior:
      'A model that is taken from the list of its caller ends what uses it within a second: streams, responses on sockets and in the background, on every server of the database.',
    state: 'built',
  },
  {
    id: 'access:ended:expiry',
    section: '5.4',
    behavior: 'A key that expires ends what was begun with it within a second, without another request.',
    state: 'built',
  },
  {
    id: 'access:models:default',
    section: '5.4',
    behavior: 'A request that names no model gets the first one that its caller may use; where there is none, 400.',
    state: 'built',
  },
  {
    id: 'access:ended:held-bodies',
    section: '5.4',
    behavior:
      'A request whose body is still arriving when its caller loses the right to it does nothing; one that may go on has the rights of the time when its body is whole.',
    state: 'built',
  },
  {
    id: 'access:ended:told',
    section: '5.4',
    behavior:
      'Servers on one PostgreSQL tell each other of changed rights: a key that one revokes, the others refuse with the next request.',
    state: 'built',
  },
  {
    id: 'access:names:unknown-refused',
    section: '5.4',
    behavior: 'Quotas and scopes of keys that name an unknown model, group of routes or field are refused with 400.',
    state: 'built',
  },
  {
    id: 'access:user:quotas',
    section: '5.4',
    behavior: 'Requests and tokens of a user can be limited for a window of time, exactly under concurrency.',
    state: 'built',
  },
  {
    id: 'access:legacy:usage-hidden',
    section: '5.4',
    behavior: 'Traffic of shared keys shows in usage as `legacy`, to admins only.',
    state: 'built',
  },
  {
    id: 'accounts:names:one-account',
    section: '5.3',
    behavior:
      'All spellings of an address mean one account: capitals, full width and other compatible letters, composed or not, and `xn--` domains.',
    state: 'built',
  },
  {
    id: 'accounts:names:seen',
    section: '5.3',
    behavior:
      'Addresses and names of accounts and keys with invisible characters, marks of direction or letters of another alphabet that look alike are refused. Names that providers send are cleaned of them.',
    state: 'built',
  },
  {
    id: 'accounts:avatar:https',
    section: '5.3',
    behavior: 'The picture of an account is an https address. Neither the server nor its interface fetches it.',
    state: 'built',
  },
  {
    id: 'access:password:storage',
    section: '5.4',
    behavior: 'Passwords are stored as argon2id with at least 19 MiB and 2 passes; bcrypt only verifies imported ones.',
    state: 'built',
  },
  {
    id: 'access:password:length',
    section: '5.4',
    behavior: 'A password has 12 to 128 characters and must be strong.',
    state: 'built',
  },
  {
    id: 'access:database:trouble',
    section: '5.4',
    behavior: 'While the database cannot be reached, routes that need it answer 503 with `Retry-After`, never 401.',
    state: 'built',
  },
  {
    id: 'access:database:hangs',
    section: '5.4',
    behavior:
      'A database that keeps its connections and does not answer is one that cannot be reached: every route answers within seconds.',
    state: 'built',
  },
  {
    id: 'access:mitm:no-auth',
    section: '5.4',
    behavior: 'The intercepting proxy asks for no credentials of its own.',
    state: 'built',
  },
])
