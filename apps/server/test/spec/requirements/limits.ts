import { defineRequirements } from '../requirement.ts'

/** §8: limits, defaults and flags. */
export const LIMITS = defineRequirements([
  {
    id: 'limits:ceiling:default',
    section: '8',
    behavior: '1024 inference operations may run at a time unless `--max-concurrent-backend-requests` says otherwise.',
    state: 'built',
  },
  {
    id: 'limits:ceiling:excess',
    section: '8',
    behavior: 'A request beyond the global limit gets 429 with `Retry-After`.',
    state: 'built',
  },
  {
    id: 'limits:ceiling:others-served',
    section: '8',
    behavior: 'Pages and admin endpoints are served while the global limit is reached.',
    state: 'built',
  },
  {
    id: 'chat:admission:per-model-cap',
    section: '8',
    behavior: "A request beyond a model's limit (`max_concurrent`) gets 429.",
    state: 'built',
  },
  {
    id: 'chat:admission:retry-after',
    section: '8',
    behavior: '`Retry-After` of a model at its limit is in whole seconds, 1 at least.',
    state: 'built',
  },
  {
    id: 'limits:upload:default',
    section: '8',
    behavior: 'A request body has 15 MB at most unless `--upload-limit` says otherwise.',
    state: 'built',
  },
  {
    id: 'limits:upload:forms',
    section: '8',
    behavior:
      'A form has 100 parts at most. Its files are private temporary files. They are gone when the request has ended, also when its client has left or the server was killed.',
    state: 'built',
  },
  {
    id: 'limits:compression:default',
    section: '8',
    behavior: 'Replies are compressed with gzip by default.',
    state: 'built',
  },
  {
    id: 'limits:compression:min-length',
    section: '8',
    behavior: 'Replies are compressed from 1024 bytes on unless `--http-compression-min-length` says otherwise.',
    state: 'built',
  },
  {
    id: 'limits:compression:off',
    section: '8',
    behavior: '`--disable-http-compression` turns compression off.',
    state: 'built',
  },
  { id: 'limits:compression:streams', section: '8', behavior: 'Streams are never compressed.', state: 'built' },
  {
    id: 'limits:compression:websockets',
    section: '8',
    behavior: 'WebSocket upgrades are never compressed.',
    state: 'built',
  },
  {
    id: 'limits:compression:compressed-formats',
    section: '8',
    behavior: 'Formats that are compressed already are not compressed again.',
    state: 'built',
  },
  {
    id: 'limits:connections:given-back',
    section: '8',
    behavior:
      'Every listener ends a connection whose client neither reads nor closes within a second of its time limit, half-closed ones too.',
    state: 'built',
  },
  {
    id: 'limits:connections:half-closed',
    section: '8',
    behavior: 'A client that ends its half of the connection behind its request gets the reply.',
    state: 'built',
  },
  {
    id: 'limits:downloads:concurrency',
    section: '8',
    behavior:
      'The files of an artifact are downloaded one at a time unless `--artifact-download-concurrency` says otherwise.',
    state: 'built',
  },
  {
    id: 'limits:downloads:whole-files',
    section: '8',
    behavior:
      '`--artifact-download-concurrency` counts whole files, however many parts of one of them are downloaded at a time.',
    state: 'built',
  },
  {
    id: 'limits:downloads:parts',
    section: '8',
    behavior:
      'A file of 64 MiB or more comes in four parts at a time where its origin serves ranges; `--download-parts` sets another number, and 1 turns it off.',
    state: 'built',
  },
  {
    id: 'limits:downloads:redirects',
    section: '8',
    behavior:
      'A download follows up to ten redirects. Each must pass the rules for addresses, and credentials never go to another origin.',
    state: 'built',
  },
  { id: 'limits:context-size:default', section: '8', behavior: '`--context-size` is -1 by default.', state: 'built' },
  {
    id: 'limits:context-size:trained',
    section: '8',
    behavior: 'The context size -1 gives each model the whole context it was trained with.',
    state: 'built',
  },
  {
    id: 'limits:routing-log:entries',
    section: '8',
    behavior: 'The decision log holds 5,000 entries for each process.',
    state: 'built',
  },
  {
    id: 'limits:slots:size',
    section: '8',
    behavior: 'A slot state has 8589934592 bytes (8 GiB) at most.',
    state: 'not-built',
  },
  {
    id: 'limits:profiling:off',
    section: '8',
    behavior: 'The profiling listener is off unless `--pprof` is set.',
    state: 'built',
  },
  {
    id: 'limits:profiling:default-address',
    section: '8',
    behavior: 'The profiling listener listens at 127.0.0.1:6060 by default.',
    state: 'built',
  },
  {
    id: 'limits:profiling:loopback-only',
    section: '8',
    behavior: 'The profiling listener takes numeric loopback addresses with an explicit port and no others.',
    state: 'built',
  },
  {
    id: 'limits:shutdown:five-seconds',
    section: '8',
    behavior: 'A stop takes 5 seconds at most, with backends and running requests.',
    state: 'built',
  },
  {
    id: 'limits:address:default',
    section: '8',
    behavior: 'The API listens at `:8080` unless `--address` says otherwise.',
    state: 'built',
  },
  {
    id: 'limits:per-user:quota',
    section: '8',
    behavior: 'Quotas limit the rates of a user; without a quota nothing does.',
    state: 'built',
  },
  { id: 'flags:log-level:default', section: '8', behavior: 'The log level is `info` by default.', state: 'built' },
  {
    id: 'flags:log-level:values',
    section: '8',
    behavior: 'The log level is `error`, `warn`, `info`, `debug` or `trace`.',
    state: 'built',
  },
  {
    id: 'flags:models-path:default',
    section: '8',
    behavior: '`--models-path` is `models` in the working folder by default.',
    state: 'built',
  },
  {
    id: 'flags:backends-path:used',
    section: '8',
    behavior: '`--backends-path` names the folder of installed backends.',
    state: 'built',
  },
  {
    id: 'flags:data-path:used',
    section: '8',
    behavior: '`--data-path` names the folder of the database and other state.',
    state: 'built',
  },
  {
    id: 'flags:data-path:one-server',
    section: '8',
    behavior: 'A second server on the same data path ends with a clear error.',
    state: 'built',
  },
  {
    id: 'flags:config-dir:files',
    section: '8',
    behavior: 'The configuration folder holds runtime settings, shared keys and external backends.',
    state: 'built',
  },
  {
    id: 'flags:config-dir:live',
    section: '8',
    behavior: 'Changes in the configuration folder act while the server runs.',
    state: 'built',
  },
  {
    id: 'flags:config-dir:vanished-keys',
    section: '8',
    behavior:
      'Keys and settings of a file that vanishes while the server runs go on to count until the next start. An empty list in the file takes keys away.',
    state: 'built',
  },
  {
    id: 'flags:disable-webui:api-only',
    section: '8',
    behavior: 'With `--disable-webui` the server serves only the API.',
    state: 'built',
  },
  {
    id: 'flags:disable-runtime-settings:off',
    section: '8',
    behavior: '`--disable-runtime-settings` turns the settings routes and the saved settings off.',
    state: 'built',
  },
  {
    id: 'flags:disable-predownload-scan:off',
    section: '8',
    behavior: '`--disable-predownload-scan` skips the check of files before they are downloaded.',
    state: 'built',
  },
  {
    id: 'flags:subtle-key-comparison:accepted',
    section: '8',
    behavior: '`--use-subtle-key-comparison` is accepted; keys are always compared in constant time.',
    state: 'built',
  },
  {
    id: 'flags:machine-tag:header',
    section: '8',
    behavior: '`--machine-tag` is the value of the header `Machine-Tag` on every reply.',
    state: 'built',
  },
  {
    id: 'flags:f16:accepted',
    section: '8',
    behavior: '`--f16` asks backends for half-precision numbers.',
    state: 'built',
  },
  {
    id: 'flags:threads:both-forms',
    section: '8',
    behavior: '`-t` and `--threads` set the threads of models that name none.',
    state: 'built',
  },
  {
    id: 'flags:p2p:join',
    section: '8',
    behavior: '`--p2p` joins the peer-to-peer network that `--p2ptoken` and `--p2p-network-id` name.',
    state: 'not-built',
  },
  {
    id: 'flags:p2p:dht-interval',
    section: '8',
    behavior: '`--p2p-dht-interval` is 360 by default.',
    state: 'not-built',
  },
  {
    id: 'flags:p2p:otp-interval',
    section: '8',
    behavior: '`--p2p-otp-interval` is 9000 by default.',
    state: 'not-built',
  },
  {
    id: 'flags:federated:shares',
    section: '8',
    behavior: '`--federated` shares requests among peers.',
    state: 'not-built',
  },
  {
    id: 'flags:declared:not-in-this-version',
    section: '8',
    behavior: 'A flag whose feature is not built yet is known, and refused with the words "not in this version".',
    state: 'built',
  },
  {
    id: 'flags:precedence:order',
    section: '8',
    behavior: 'A flag wins over its variable, the variable over the settings file, and the file over the default.',
    state: 'built',
  },
])
