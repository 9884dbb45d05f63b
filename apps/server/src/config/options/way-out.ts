import { defineSection, option, setting } from '../option.ts'
import { noProxy, noProxyLine, proxyLine, proxyUrl } from '../proxy-url.ts'

export const wayOut = defineSection({
  heading: 'The way out',
  options: {
    httpsProxy: option(proxyUrl, {
      flag: 'https-proxy',
      env: ['https_proxy', 'HTTPS_PROXY'],
      default: '',
      about: 'the proxy through which https URLs of other machines are fetched',
      secret: true,
      setting: { https_proxy: setting(proxyLine, { secret: true }) },
    }),
    httpProxy: option(proxyUrl, {
      flag: 'http-proxy',
      env: ['http_proxy', 'HTTP_PROXY'],
      default: '',
      about: 'the proxy through which plain http URLs of other machines are fetched',
      secret: true,
      setting: { http_proxy: setting(proxyLine, { secret: true }) },
    }),
    noProxy: option(noProxy, {
      flag: 'no-proxy',
      env: ['no_proxy', 'NO_PROXY'],
      default: '',
      about:
        'hosts that are reached past the proxies: names with all below them, addresses and networks, between commas',
      setting: { no_proxy: setting(noProxyLine) },
    }),
  },
})
