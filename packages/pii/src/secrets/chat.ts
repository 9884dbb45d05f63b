import type { SecretKind } from './secret-kind.ts'

/** Secrets of chat and social networks. */
export const CHAT_SECRETS: readonly SecretKind[] = [
  {
    name: 'slack_token',
    group: 'SLACK_TOKEN',
    pattern: 'xox[abeoprs][.-][0-9A-Za-z.-]{10,}|xapp-[0-9]-[0-9A-Za-z-]{20,}',
    anchor: 'xox',
    example: 'xoxb-730194826573-q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3P',
    source: 'Slack documentation, token types',
  },
  {
    name: 'slack_webhook',
    group: 'SLACK_WEBHOOK',
    pattern: 'hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Z0-9]{8,}/[A-Za-z0-9]{8,}/[A-Za-z0-9]{20,}',
    anchor: 'hooks.slack.com/',
    isAnywhere: true,
    example: 'hooks.slack.com/services/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',
    source: 'Slack documentation, incoming webhooks',
  },
  {
    name: 'discord_webhook',
    group: 'DISCORD_WEBHOOK',
    pattern: '(?:discord|discordapp)\\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60,}',
    anchor: 'discord',
    isAnywhere: true,
    example:
      'discord.com/api/webhooks/730194826573019482/q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb',
    source: 'Discord documentation, webhooks',
  },
  {
    name: 'telegram_bot_token',
    group: 'TELEGRAM_BOT_TOKEN',
    pattern: '[0-9]{8,10}:AA[A-Za-z0-9_-]{33}',
    anchor: ':AA',
    isExact: true,
    example: '7301948265:AAq7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm',
    source: 'Telegram documentation, bot API',
  },
  {
    name: 'teams_webhook',
    group: 'TEAMS_WEBHOOK',
    pattern:
      '\\.webhook\\.office\\.com/webhookb2/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}@[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
    anchor: '.webhook.office.com/',
    isAnywhere: true,
    example:
      '.webhook.office.com/webhookb2/4f1b9c27-4f1b-4f1b-4f1b-4f1b9c27d0a6@4f1b9c27-4f1b-4f1b-4f1b-4f1b9c27d0a6/IncomingWebhook/4f1b9c27d0a6e3854f1b9c27d0a6e385/4f1b9c27-4f1b-4f1b-4f1b-4f1b9c27d0a6',
    source: 'Microsoft Teams documentation, incoming webhooks',
  },
  {
    name: 'google_chat_webhook',
    group: 'GOOGLE_CHAT_WEBHOOK',
    pattern:
      'chat\\.googleapis\\.com/v1/spaces/[A-Za-z0-9_-]{8,}/messages\\?key=[A-Za-z0-9_-]{39}&token=[A-Za-z0-9_-]{40,}',
    anchor: 'chat.googleapis.com/',
    isAnywhere: true,
    example:
      'chat.googleapis.com/v1/spaces/q7Kd2Wm9Rx4/messages?key=q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz&token=q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8',
    source: 'Google Chat documentation, webhooks',
  },
  {
    name: 'zapier_webhook',
    group: 'ZAPIER_WEBHOOK',
    pattern: 'hooks\\.zapier\\.com/hooks/catch/[0-9]{5,}/[a-z0-9]{5,}',
    anchor: 'hooks.zapier.com/',
    example: 'hooks.zapier.com/hooks/catch/7301948/k3v9x1q',
    source: 'Zapier documentation, webhooks',
  },
  {
    name: 'ifttt_webhook',
    group: 'IFTTT_WEBHOOK',
    pattern: 'maker\\.ifttt\\.com/(?:use|trigger/[A-Za-z0-9_-]+/(?:json/)?with/key)/[A-Za-z0-9_-]{20,}',
    anchor: 'maker.ifttt.com/',
    example: 'maker.ifttt.com/use/q7Kd2Wm9Rx4Tz1Vb8Hn5Ls',
    source: 'IFTTT documentation, webhooks',
  },
  {
    name: 'twilio_key',
    group: 'TWILIO_KEY',
    pattern: '(?:twilio|Twilio|TWILIO)[A-Za-z0-9_."\' -]{0,40}(?:=|:)[ \\t]*["\']?(?:SK|AC)?[0-9a-f]{32}',
    anchor: 'TWILIO',
    isExact: true,
    isAnywhere: true,
    part: 'value',
    example: 'TWILIO_AUTH_TOKEN=4f1b9c27d0a6e3854f1b9c27d0a6e385',
    source: 'Twilio documentation, credentials',
  },
  {
    name: 'facebook_access_token',
    group: 'FACEBOOK_ACCESS_TOKEN',
    pattern: 'EAA[A-Za-z0-9]{80,}',
    anchor: 'EAA',
    check: 'random',
    example:
      'EAAq7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb',
    source: 'Meta documentation, access tokens',
  },
  {
    name: 'instagram_access_token',
    group: 'INSTAGRAM_ACCESS_TOKEN',
    pattern: 'IGQV[A-Za-z0-9_-]{80,}',
    anchor: 'IGQV',
    example:
      'IGQVq7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb',
    source: 'Meta documentation, Instagram access tokens',
  },
  {
    name: 'twitter_bearer_token',
    group: 'TWITTER_BEARER_TOKEN',
    pattern: 'AAAAAAAAAAAAAAAAAAAAA[A-Za-z0-9%]{60,}',
    anchor: 'AAAAAAAAAAAAAAAAAAAAA',
    example: 'AAAAAAAAAAAAAAAAAAAAAq7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7',
    source: 'X documentation, bearer tokens',
  },
  {
    name: 'twitch_oauth_token',
    group: 'TWITCH_OAUTH_TOKEN',
    pattern: 'oauth:[a-z0-9]{30}',
    anchor: 'oauth:',
    isExact: true,
    example: 'oauth:k3v9x1q7w5t2m8r4k3v9x1q7w5t2m8',
    source: 'Twitch documentation, chat tokens',
  },
  {
    name: 'dropbox_token',
    group: 'DROPBOX_TOKEN',
    pattern: 'sl\\.(?:u\\.)?[A-Za-z0-9_-]{100,}',
    anchor: 'sl.',
    example:
      'sl.q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx',
    source: 'Dropbox documentation, access tokens',
  },
]
