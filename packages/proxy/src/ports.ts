/** Reads secrets that a configuration only names: environment variables and files that hold keys. */
export interface SecretReader {
  /** @throws {SvcError} where the variable must not be read; its message is shown */
  variable(name: string): string | undefined
  /** @throws when the file cannot be read; the message of an {@link SvcError} is shown */
  file(path: string): Promise<string>
}

/** The wire format of an upstream: chat completions or messages. */
export type Provider = 'provider_a' | 'provider_b'
