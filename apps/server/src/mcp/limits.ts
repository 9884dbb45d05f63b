/** Maximum bytes of one message of a server. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024
/** Maximum number of braces, brackets, commas and colons outside of texts in one message. */
export const MAX_MARKS = 100_000
/** Maximum number of open sessions of this server. */
export const MAX_SESSIONS = 64
/** Maximum number of sessions with servers that the running requests of one caller name. */
export const MAX_NAMED_SESSIONS = 32
/** Time without a use after which a session is closed. */
export const IDLE_MS = 10 * 60_000
/** Longest start of a program, which may have to download itself first. */
export const START_MS = 120_000
/** Longest handshake of a remote server. */
export const CONNECT_MS = 30_000
/** Longest answer to a list of tools, prompts or resources. */
export const LIST_MS = 30_000
/** Maximum number of tools, prompts or resources of a server. */
export const MAX_LISTED = 512
/** Maximum pages of a list. */
export const MAX_PAGES = 64
/** Characters of a list as JSON after which no further page is read. */
export const MAX_LIST_LENGTH = 4 * 1024 * 1024
/** Maximum characters of a tool's name on its server. */
export const MAX_TOOL_NAME = 256
/** Maximum characters of a description; the rest is cut off. */
export const MAX_DESCRIPTION = 8192
/** Maximum bytes of the JSON of a tool's schema. */
export const MAX_SCHEMA_BYTES = 64 * 1024
/** Maximum resident memory of a program with its children. */
export const MAX_PROGRAM_BYTES = 4 * 1024 * 1024 * 1024
/** Pause between two looks at the memory of a program. */
export const MEMORY_CHECK_MS = 5000
/** Maximum characters of a server's own words in an error. */
export const MAX_ERROR_TEXT = 1000
/** Maximum number of servers whose sign-ins are kept. */
export const MAX_SIGN_INS = 500
/** Sign-ins under way; the oldest makes room. */
export const MAX_PENDING_SIGN_INS = 100
