import { defineSection, option, setting } from '../option.ts'
import { address, path } from '../places.ts'
import { addressLine, lines } from '../setting-kind.ts'
import { texts, toggle } from '../text-kind.ts'

export const filters = defineSection({
  heading: 'Filtering and interception',
  options: {
    piiDefaultDetectors: option(texts, {
      flag: 'pii-default-detectors',
      env: ['SVC_PII_DEFAULT_DETECTORS'],
      default: '',
      about: 'detector models of every filtered model that names none',
      setting: { pii_default_detectors: setting(lines) },
    }),
    mitmListen: option(address, {
      flag: 'mitm-listen',
      env: ['SVC_MITM_LISTEN'],
      shownDefault: 'off',
      about: 'where the intercepting proxy listens; it asks for no credentials, so prefer a loopback address',
      setting: { mitm_listen: setting(addressLine, { default: '' }) },
    }),
    mitmCaDir: option(path, {
      flag: 'mitm-ca-dir',
      env: ['SVC_MITM_CA_DIR'],
      shownDefault: 'mitm-ca in the data path',
      about: 'folder of the certificate and key of its authority',
    }),
    mitmExtraCa: option(path, {
      flag: 'mitm-extra-ca',
      env: ['SVC_MITM_EXTRA_CA'],
      about: 'file of further authorities that it trusts for intercepted hosts, PEM',
    }),
    mitmStrict: option(toggle, {
      env: ['SVC_MITM_STRICT'],
      default: 'false',
      about: 'close tunnels whose TLS name is not that of their target',
    }),
  },
})
