import type { Generated, Kysely } from 'kysely'
import type { IdKind } from '../lib/lineage.ts'
import type { PayerKind, QuotaName } from '../lib/quota.ts'
import type { SearchKind } from '../lib/search-query.ts'
import type { TraceAction, TraceObject } from '../lib/trace.ts'

/** A handle or a transaction; a transaction shadows the name so that the handle is out of reach. */
export type Registry = Kysely<Tables>

export type Flag = 0 | 1

type MetaTable<Owner extends string> = { [column in Owner]: number } & {
  key: string
  value: string
  protected: Flag
  /** Lower case, for filters; both engines fold letters differently, so we do it ourselves. */
  key_folded: string
  value_folded: string
}

export type Tables = {
  organizations: {
    id: Generated<number>
    parent_id: number | null
    name: string
    address: string
    email: string
    phone: string
    notes: string
    force_sms_login: Flag
    created: number
    updated: number
  }
  organization_meta: MetaTable<'organization_id'>
  roles: {
    id: Generated<number>
    /** Null: the platform's. */
    organization_id: number | null
    name: string
    /** A greater priority is more powerful. */
    priority: number
    /** JSON: permission name or pattern -> boolean. */
    permissions: string
  }
  users: {
    id: Generated<number>
    role_id: number
    email: string
    email_folded: string
    password_hash: string
    first_name: string
    last_name: string
    mobile: string
    note: string
    address: string
    sms_login: Flag
    /** Unix milliseconds; 0 = never. */
    expire_at: number
    created: number
    updated: number
  }
  user_meta: MetaTable<'user_id'>
  user_organizations: { user_id: number; organization_id: number }
  user_installations: { user_id: number; installation_id: number }
  tokens: {
    id: Generated<number>
    user_id: number
    /** SHA-256 of the token; the token itself is shown once and kept nowhere. */
    hash: string
    purpose: TokenPurpose
    created: number
    /** Unix milliseconds; 0 = until it is deleted. */
    expires: number
    last_used: number
    /** Milliseconds without use after which it has ended; 0 = never. */
    session_timeout: number
    name: string
    /** Of the last use. */
    agent: string
    address: string
    /** JSON list of a restricted key; null = everything its owner may. */
    permissions: string | null
    /** Of the code a pending sign-in waits for, and how often it was guessed. */
    code_hash: string
    tries: number
  }
  sms_log: { user_id: number; created: number }
  /** Who may register; a new user goes into `organization_id` or into one of its own below the other. */
  registration_policies: {
    id: Generated<number>
    email_pattern: string
    /** When the pattern became this one. */
    pattern_set: number
    role_id: number
    organization_id: number | null
    parent_organization: number | null
  }
  /** Who registered and has not yet set a password: no user before that. */
  registrations: {
    /** SHA-256 of the key in the mail. */
    key_hash: string
    policy_id: number
    email: string
    email_folded: string
    first_name: string
    last_name: string
    address: string
    created: number
    expires: number
  }
  mobile_devices: { firebase_token: string; device_id: string; user_id: number; created: number }
  installations: {
    id: Generated<number>
    client_id: number
    organization_id: number
    name: string
    notes: string
    /** IANA name; empty = the platform's TIMEZONE. */
    timezone: string
    /** JSON list, as the gateway reported it. */
    capabilities: string
    created: number
    updated: number
  }
  installation_meta: MetaTable<'installation_id'>
  objects: {
    id: Generated<number>
    kind: ObjectKind
    installation_id: number
    type: string
    type_folded: string
    /** JSON maps of text, as answers carry them. */
    meta: string
    protected_meta: string
    created: number
    updated: number
  }
  schedules: {
    id: Generated<number>
    installation_id: number
    active: Flag
    topic: string
    value: number
    minute: string
    hour: string
    day_of_month: string
    day_of_week: string
    month: string
    executor: string
    created: number
    updated: number
    /** Unix milliseconds; null = never, or not by the platform. */
    next_run: number | null
    /** In which `next_run` was reckoned. */
    zone: string
    /** How many runs there were, which gives each its place in `schedule_runs`. */
    runs: number
  }
  schedule_runs: {
    schedule_id: number
    slot: number
    planned: number
    ran: number
    outcome: RunOutcome
  }
  /** The one credential of an installation's gateway; its name is the client id. */
  gateways: { installation_id: number; password_hash: string; created: number }
  /** One row. */
  gateway_policy: { allow_unregistered: Flag; default_organization_id: number }
  edge_apps: {
    id: Generated<number>
    publisher_id: number
    name: string
    category: string
    /** JSON list. */
    tags: string
    short_description: string
    description: string
    source_url: string
    official: Flag
    public: Flag
    created: number
    updated: number
  }
  edge_app_versions: {
    id: Generated<number>
    app_id: number
    hash: string
    /** null = not published. */
    name: string | null
    app_json: string
    app_lua: string
    uploaded: number
  }
  edge_app_instances: {
    id: Generated<number>
    installation_id: number
    app_id: number
    /** Name or hash. */
    version: string
    name: string
    /** JSON object. */
    config: string
    created: number
    updated: number
  }
  topic_blacklist: {
    id: Generated<number>
    topic: string
    mode: BlacklistMode
    enabled: Flag
    reason: string
    count: number
  }
  notification_executors: {
    id: Generated<number>
    organization_id: number
    type: string
    name: string
    /** JSON map of text; `url` is where it is called. */
    config: string
    secret: string
    created: number
    updated: number
  }
  notification_messages: {
    id: Generated<number>
    installation_id: number
    name: string
    text: string
    created: number
    updated: number
  }
  notification_outputs: {
    id: Generated<number>
    installation_id: number
    name: string
    notification_message_id: number
    notification_output_executor_id: number
    /** JSON map of text. */
    config: string
    /** How many sends there were, which gives each its place in `notification_sends`. */
    sends: number
    created: number
    updated: number
  }
  notification_sends: { output_id: number; slot: number; sent: number; outcome: string }
  files: {
    id: Generated<number>
    /** One of the two is null. */
    installation_id: number | null
    organization_id: number | null
    hash: string
    name: string
    mime: string
    size: number
    created: number
    updated: number
  }
  /** What is in the file store. */
  file_contents: {
    hash: string
    /** When to see whether a file still refers to it, Unix milliseconds; null = it need not be. */
    look_at: number | null
  }
  /** Who changed what, and when. */
  trace: {
    id: Generated<number>
    timestamp: number
    /** 0 = a gateway, or nobody who signed in. */
    user_id: number
    method: string
    path: string
    action: TraceAction
    object_type: TraceObject
    /** 0 = none is known. */
    object_id: number
    /** What the object was in then; null = in nothing. */
    installation_id: number | null
    organization_id: number | null
    description: string
  }
  /** Organizations that are gone, and those above them. */
  organization_heirs: { organization_id: number; heir_id: number }
  /** How many objects of a kind have ids in `block`, so that a page far down is found by counting blocks. */
  object_counts: { installation_id: number; kind: ObjectKind; block: number; count: number }
  /** What the search index does not know yet. */
  search_marks: { kind: SearchKind; id: number }
  /** Installations that are gone and whose history still has to go. */
  erasures: { installation_id: number; created: number }
  /** Of one owner, in place of the default. */
  quotas: { kind: PayerKind; id: number; name: QuotaName; quota: number }
  /** Bytes of samples that an owner was charged for; see usage.ts. */
  usage: {
    kind: PayerKind
    id: number
    /** The last day with samples, days since 1970, and what arrived on it. */
    day: number
    day_bytes: number
    /** In all; 0 for organizations, whose installations have it. */
    bytes: number
    /** By the clock of the database: what other nodes wrote is found by it. */
    updated: number
  }
  /** The same bytes by the month of the sample (`2025-11`), which goes when history drops the month. */
  usage_months: { installation_id: number; month: string; bytes: number }
  /** What the caches of every node must look at again; see changes.ts. */
  changes: { seq: Generated<number>; kind: ChangeKind; ref: number; created: number }
  /** One row: what tells this platform from others on the same broker. */
  platform: {
    id: string
    /** History has been told that it belongs to this platform. */
    has_history: Generated<Flag>
    /** What history had before usage was counted is in `usage_months`. */
    has_usage: Generated<Flag>
  }
  /** Ids that history was asked to reserve, and those it has reserved; null: nobody watches yet. */
  id_reserves: { kind: IdKind; asked: number; confirmed: number | null }
  /** Who a client id of an external broker is, as its last sign-in showed. */
  broker_clients: {
    client_id: string
    username: string
    owner: string
    /** The credential, to be asked about again, no secret; empty: it has ended. */
    sealed: string
    /** 0: what the broker keeps is of the owner before, and must end first. */
    seen: number
  }
  schema_migrations: { number: number; name: string; applied: number }
}

/** A pending sign-in waits for its second factor; a reset key is good for a new password alone. */
export type TokenPurpose = 'session' | 'key' | 'pending' | 'reset'

/** A run is taken before it is published, so that nobody else does it. */
export type RunOutcome = 'taken' | 'published' | 'failed' | 'skipped'

export type ObjectKind = 'device' | 'function'

/** Refused, or passed on and not stored. */
export type BlacklistMode = 'block' | 'ignore'

export type ChangeKind =
  | 'installation'
  | 'user'
  | 'role'
  | 'organization'
  | 'tree'
  | 'assignment'
  | 'gateway'
  | 'blacklist'
  | 'quota'
