import { defineRequirements } from '../requirement.ts'

/** §1: the server as a whole. */
export const SERVICE = defineRequirements([
  {
    id: 'service:open:nothing-configured',
    section: '1',
    behavior: 'While neither shared keys nor accounts are configured, no route asks for credentials.',
    state: 'built',
  },
  {
    id: 'service:auth:side-by-side',
    section: '1',
    behavior: 'Shared keys and accounts can protect one server at the same time.',
    state: 'built',
  },
  {
    id: 'service:cache:private',
    section: '1',
    behavior: 'Replies that hold a secret or a person carry `Cache-Control: no-store`.',
    state: 'built',
  },
  {
    id: 'service:way-out:proxies',
    section: '1',
    behavior:
      '`HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` in either case, the flags and the settings of these names hold for downloads, registries, galleries, sign-in, upstreams, receivers of spans and the intercepting proxy.',
    state: 'built',
  },
  {
    id: 'service:way-out:addresses',
    section: '1',
    behavior: 'The rules for addresses are applied before a name goes to a proxy, at every redirect.',
    state: 'built',
  },
  {
    id: 'service:way-out:list',
    section: '1',
    behavior:
      'A block of addresses in `NO_PROXY`, the flag or the setting that cannot be read is refused. Names in other scripts stand for their ASCII form too.',
    state: 'built',
  },
  {
    id: 'service:way-out:this-machine',
    section: '1',
    behavior:
      'Backends, addresses of this machine and names that lead to them alone are never reached through a proxy.',
    state: 'built',
  },
  {
    id: 'service:way-out:credentials',
    section: '1',
    behavior: 'The credentials of a proxy go to the proxy alone, and into no log, reply or error.',
    state: 'built',
  },
])
