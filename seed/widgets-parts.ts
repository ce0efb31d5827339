/** A part of `widgets-api`, with what its notes need to sound like its own. */
export interface Part {
  name: string;
  file: string;
  test: string;
  call: string;
  /** A setting with the default that it had and the one that it has. */
  setting: readonly [name: string, before: number, after: number];
  table: string;
  metric: string;
  /** How it works, what to watch out for, why it is as it is: a title and what is behind it. */
  how: readonly [string, string];
  trap: readonly [string, string];
  why: readonly [string, string];
}

export const PARTS: readonly Part[] = [
  part(
    "webhook dispatcher",
    "webhooks/dispatch",
    "dispatchWebhook()",
    ["WEBHOOK_TIMEOUT_MS", 2000, 5000],
    "webhook_deliveries",
    "webhook_delivery_seconds",
    {
      how: [
        "Webhooks of one partner are delivered in order",
        "Deliveries are partitioned by partner_id and a partition has one worker, so that order.updated never overtakes order.created",
      ],
      trap: [
        "Signatures are computed over the raw body",
        "JSON that was parsed and written again has another key order; receivers then refuse X-Widgets-Signature",
      ],
      why: [
        "Webhook bodies are stored for seven days",
        "Support replays single deliveries for partners, and a body made anew would carry today's prices",
      ],
    },
  ),
  part(
    "order importer",
    "orders/import",
    "importOrders()",
    ["IMPORT_BATCH_SIZE", 100, 400],
    "order_imports",
    "order_import_rows_total",
    {
      how: [
        "Imports are streamed line by line",
        "importOrders() never holds a file in memory: a 2 GB CSV takes 90 MB, and a bad line goes to order_imports.rejected with its number",
      ],
      trap: [
        "Excel writes semicolons in German locales",
        "The separator is guessed from the header line; a file with one column and a comma in a name is guessed wrong",
      ],
      why: [
        "Orders from an import have no customer mail",
        "Mails to customers of the old shop system went out twice in June, so that importOrders() sets silent = true",
      ],
    },
  ),
  part(
    "stock counter",
    "stock/reserve",
    "reserveStock()",
    ["STOCK_LOCK_MS", 250, 900],
    "stock_reservations",
    "stock_reservation_seconds",
    {
      how: [
        "Stock is reserved for 15 minutes at checkout",
        "A reservation is a row with expires_at; available stock is on_hand minus the rows that have not expired, there is no counter to drift",
      ],
      trap: [
        "reserveStock() must lock widgets in ascending order of id",
        "Two carts with the same widgets in another order dead-locked 30 times a day before the sort",
      ],
      why: [
        "Negative stock is allowed for pre-orders",
        "shops.allow_negative exists for two publishers who sell before printing; do not add a CHECK on on_hand",
      ],
    },
  ),
  part(
    "CSV exporter",
    "exports/csv",
    "writeCsv()",
    ["EXPORT_CHUNK_ROWS", 1000, 8000],
    "exports",
    "export_duration_seconds",
    {
      how: [
        "Exports are written with a cursor and uploaded in parts",
        "writeCsv() declares a cursor WITH HOLD and uploads parts of 8 MB, so that an export of a million rows never waits for memory",
      ],
      trap: [
        "Cells that begin with =, +, - or @ are prefixed with an apostrophe",
        "Spreadsheets run them as formulas otherwise; the partner feed must not do the same, its readers take the apostrophe literally",
      ],
      why: [
        "CSV exports begin with a byte order mark",
        "Excel on Windows reads UTF-8 only with it; the warehouse's parser skips it since its version 4.2",
      ],
    },
  ),
  part(
    "thumbnail job",
    "images/resize",
    "makeThumbnails()",
    ["IMAGE_MAX_PIXELS", 16000000, 48000000],
    "image_variants",
    "thumbnail_seconds",
    {
      how: [
        "Image variants are addressed by their content",
        "The name of a variant is the hash of its bytes and its width, so that a changed picture never meets an old cache",
      ],
      trap: [
        "Pictures from phones are turned by EXIF",
        "makeThumbnails() must rotate before it strips the metadata, or one upload in five lies on its side",
      ],
      why: [
        "AVIF is not offered",
        "Encoding took 4 seconds per picture on the small pods and saved 11 % over WebP",
      ],
    },
  ),
  part(
    "invoice renderer",
    "billing/invoice",
    "renderInvoice()",
    ["INVOICE_WORKERS", 1, 3],
    "invoices",
    "invoice_render_seconds",
    {
      how: [
        "Invoice numbers come from a table and not from a sequence",
        "They must have no gaps: renderInvoice() takes the next number in the transaction that writes the invoice, a sequence would lose one at each rollback",
      ],
      trap: [
        "An invoice that was sent is never rendered again",
        "A new logo or a new address would change a document that the customer has; corrections are a credit note and a new invoice",
      ],
      why: [
        "PDFs are made by typst",
        "The headless browser needed 700 MB per process and broke at each update of its image; typst takes 40 ms",
      ],
    },
  ),
  part(
    "partner feed",
    "feeds/partner",
    "buildFeed()",
    ["FEED_INTERVAL_MIN", 15, 40],
    "feed_runs",
    "feed_items_total",
    {
      how: [
        "Feeds are built as a whole and swapped at the end",
        "buildFeed() writes feed-NEXT.xml.gz and renames it, so that a partner never fetches half a feed",
      ],
      trap: [
        "Partner Nordlicht reads prices with a comma",
        "Its contract in src/feeds/contracts/nordlicht.ts formats 12,50; a shared formatter broke it in March",
      ],
      why: [
        "Feeds leave out widgets without a GTIN",
        "Two partners reject the whole feed for a single missing GTIN and charge 150 euros for it",
      ],
    },
  ),
  part(
    "mail sender",
    "mail/send",
    "sendMail()",
    ["MAIL_RATE_PER_SECOND", 5, 14],
    "mail_log",
    "mail_sent_total",
    {
      how: [
        "A mail is sent once for each mail_key",
        "sendMail() inserts mail_key first and sends only when the row is new, so that a repeated job sends nothing",
      ],
      trap: [
        "The provider answers 200 for addresses on its suppression list",
        "mail_log then says sent; only the webhook suppressed tells the truth, some minutes later",
      ],
      why: [
        "Marketing mails go through another domain",
        "news.widgets.example takes the bad reputation, so that receipts from widgets.example keep arriving",
      ],
    },
  ),
  part(
    "price calculator",
    "prices/quote",
    "quotePrice()",
    ["PRICE_CACHE_SECONDS", 20, 90],
    "price_lists",
    "price_quote_seconds",
    {
      how: [
        "The lowest price list wins, not the newest",
        "quotePrice() looks at all lists that are valid for the customer's group and takes the lowest price after discounts",
      ],
      trap: [
        "Price lists are valid until the end of valid_to",
        "The column is a date and the comparison must be < valid_to + 1 in the shop's zone; twice a list ended a day early",
      ],
      why: [
        "Quotes carry an id and a price for ten minutes",
        "Customers saw another price in the cart than on the page while lists were changing, and complained with screenshots",
      ],
    },
  ),
  part(
    "audit log",
    "audit/write",
    "writeAudit()",
    ["AUDIT_RETENTION_DAYS", 1095, 3650],
    "audit_entries",
    "audit_entries_total",
    {
      how: [
        "Audit entries form a chain of hashes",
        "Each row of audit_entries holds the hash of the row before it in its shop; verify-audit walks the chain every night",
      ],
      trap: [
        "writeAudit() must be called inside the transaction of the change",
        "Called behind it, a crash leaves changes without an entry, which the auditors found by counting",
      ],
      why: [
        "Audit entries keep the name of the user, not only the id",
        "Users can be deleted by law, and an entry has to stay readable for ten years",
      ],
    },
  ),
  part(
    "feature switches",
    "flags/evaluate",
    "isEnabled()",
    ["FLAG_REFRESH_MS", 5000, 30000],
    "flags",
    "flag_evaluations_total",
    {
      how: [
        "Switches are evaluated from a copy in memory",
        "isEnabled() reads a snapshot that LISTEN flags_changed refreshes; without a database the last snapshot stays valid",
      ],
      trap: [
        "A percentage is hashed with the name of the switch",
        "Hashing the shop alone put the same unlucky 5 % into every experiment",
      ],
      why: [
        "Every switch has an owner and a date of removal",
        "Of 130 switches 74 were on for everybody for more than a year when somebody counted",
      ],
    },
  ),
  part(
    "refund handler",
    "billing/refund",
    "refundOrder()",
    ["REFUND_POLL_SECONDS", 30, 120],
    "refunds",
    "refund_seconds",
    {
      how: [
        "Refunds are requested first and settled by the provider's webhook",
        "refundOrder() writes refunds with state pending; money counts as returned only at payment.refunded",
      ],
      trap: [
        "The payment provider reuses refund ids across currencies",
        "The key of refunds is (provider_id, currency); alone provider_id collided twice",
      ],
      why: [
        "Refunds over 500 euros need a second person",
        "After the fraud in autumn REFUND_LIMIT_CENTS is 50000 and the approver must be another user",
      ],
    },
  ),
  part(
    "search indexer",
    "search/index",
    "indexWidgets()",
    ["INDEX_LAG_SECONDS", 10, 45],
    "search_documents",
    "index_lag_seconds",
    {
      how: [
        "The search document is built by one SQL function",
        "widget_document(id) joins names, SKU, synonyms and categories with weights A to D, and indexWidgets() calls nothing else",
      ],
      trap: [
        "German compounds need their own dictionary",
        "Without the list in config/de_compounds.txt a search for Schraube does not find Holzschraube",
      ],
      why: [
        "Out-of-stock widgets stay in search, at the end",
        "Customers subscribe to them; leaving them out cost a tenth of the back-in-stock mails",
      ],
    },
  ),
  part(
    "coupon checker",
    "coupons/check",
    "checkCoupon()",
    ["COUPON_CACHE_SECONDS", 5, 60],
    "coupons",
    "coupon_checks_total",
    {
      how: [
        "A coupon is taken at payment and not at entry",
        "checkCoupon() only looks; redeem_coupon() counts in the order's transaction with uses < max_uses in its WHERE",
      ],
      trap: [
        "Codes are compared without O, 0, I and 1",
        "Printed codes are typed wrong; both sides go through normaliseCode(), a lookup that forgets it finds nothing",
      ],
      why: [
        "Coupons end two hours late",
        "COUPON_GRACE_HOURS is 2, since people open a mail in the evening and pay after midnight",
      ],
    },
  ),
  part(
    "shipping planner",
    "shipping/plan",
    "planShipment()",
    ["CARRIER_TIMEOUT_MS", 1500, 4000],
    "shipments",
    "shipment_plan_seconds",
    {
      how: [
        "Parcels are packed largest first",
        "planShipment() uses first-fit decreasing by volume with the carrier's limit of 31.5 kg; it is within 6 % of the optimum on last year's orders",
      ],
      trap: [
        "Carrier Bluebird counts weight in steps of 500 g, rounded up",
        "A parcel of 2,001 g costs as 2,500 g; comparing carriers by the exact weight picked it wrongly",
      ],
      why: [
        "Islands have a table of their own",
        "Postcodes of 43 islands cost 14 euros more and no carrier's API says so before the bill",
      ],
    },
  ),
  part(
    "report builder",
    "reports/build",
    "buildReport()",
    ["REPORT_MEMORY_MB", 256, 700],
    "reports",
    "report_build_seconds",
    {
      how: [
        "Reports read from the replica",
        "buildReport() uses REPLICA_URL and waits until the replica has passed the LSN of the request, at most 20 seconds",
      ],
      trap: [
        "Months of a report are months of the shop's zone",
        "A shop in Auckland lost half a day of sales to the month before as long as UTC was used",
      ],
      why: [
        "Reports are limited to 13 months",
        "Longer ones were asked for by one shop only and took the replica down twice; the archive answers those",
      ],
    },
  ),
  part(
    "live updates",
    "live/publish",
    "publishChange()",
    ["LIVE_BUFFER_EVENTS", 200, 1000],
    "live_events",
    "live_lag_seconds",
    {
      how: [
        "A browser that comes back asks for what it missed",
        "publishChange() numbers events per shop; Last-Event-ID gets the rest out of a ring of 1,000 or the answer to reload",
      ],
      trap: [
        "The load balancer cuts connections that are silent for 55 seconds",
        "A comment line is sent every 25 seconds; without it half of the phones reconnected all the time",
      ],
      why: [
        "Live updates use server-sent events",
        "WebSockets were blocked by the proxies of two customers, and nothing has to be sent upwards",
      ],
    },
  ),
  part(
    "translation sync",
    "i18n/sync",
    "syncTexts()",
    ["I18N_SYNC_HOURS", 6, 24],
    "texts",
    "texts_synced_total",
    {
      how: [
        "Texts are pulled at night and pinned at build",
        "syncTexts() writes locales/*.json in a pull request; the running service never asks the translation tool",
      ],
      trap: [
        "Placeholders must be checked after each pull",
        "Translators turned {count} into {Anzahl}; syncTexts() refuses a text whose placeholders differ from English",
      ],
      why: [
        "Plural forms come from ICU messages",
        "Polish has four of them, and strings put together with + could not say so",
      ],
    },
  ),
  part(
    "address checker",
    "addresses/check",
    "checkAddress()",
    ["ADDRESS_TIMEOUT_MS", 400, 1200],
    "address_cache",
    "address_check_seconds",
    {
      how: [
        "Address checks are advice and never a refusal",
        "checkAddress() returns suggestions with a confidence; the customer may keep what was typed, which is stored as entered_by_customer",
      ],
      trap: [
        "House numbers are text",
        "12a, 12-14 and 7/2 are valid; a number column lost the letters of 300 customers in the first week",
      ],
      why: [
        "Checked addresses are cached for 90 days",
        "The service charges 0.4 cents per check, and three quarters of all checks were repeats",
      ],
    },
  ),
  part(
    "return portal",
    "returns/open",
    "openReturn()",
    ["RETURN_LABEL_HOURS", 24, 72],
    "returns",
    "returns_opened_total",
    {
      how: [
        "A return is a small state machine",
        "openReturn() starts at requested; labelled, received, inspected and closed follow, each with its time in returns",
      ],
      trap: [
        "The 30 days count from the delivery of the last parcel",
        "orders.shipped_at is the first one; shipments.delivered_at of all parcels has to be looked at",
      ],
      why: [
        "Returns without an order number are possible",
        "Gifts come back without one; the warehouse opens them with the serial number of the widget",
      ],
    },
  ),
];

function part(
  name: string,
  path: string,
  call: string,
  setting: Part["setting"],
  table: string,
  metric: string,
  own: Pick<Part, "how" | "trap" | "why">,
): Part {
  return { name, file: `src/${path}.ts`, test: `test/${path}.test.ts`, call, setting, table, metric, ...own };
}
