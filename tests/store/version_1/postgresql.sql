CREATE FUNCTION public.blob_never_changes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'a stored blob never changes'; END $$;
CREATE FUNCTION public.message_never_changes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'a stored message never changes'; END $$;
CREATE FUNCTION public.turn_never_changes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'a stored turn never changes'; END $$;
CREATE TABLE public.blob (
    sha bytea NOT NULL,
    data bytea NOT NULL,
    owner text DEFAULT CURRENT_USER NOT NULL
);
ALTER TABLE ONLY public.blob FORCE ROW LEVEL SECURITY;
CREATE TABLE public.checkpoint (
    n bigint NOT NULL,
    conversation text NOT NULL,
    label text NOT NULL,
    message bigint,
    turn text NOT NULL,
    consumed boolean NOT NULL,
    created double precision NOT NULL,
    owner text DEFAULT CURRENT_USER NOT NULL
);
ALTER TABLE ONLY public.checkpoint FORCE ROW LEVEL SECURITY;
CREATE SEQUENCE public.checkpoint_n_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.checkpoint_n_seq OWNED BY public.checkpoint.n;
CREATE TABLE public.conversation (
    id text NOT NULL,
    name text,
    title text NOT NULL,
    created double precision NOT NULL,
    updated double precision NOT NULL,
    tip text,
    revision integer NOT NULL,
    turns integer NOT NULL,
    cost double precision NOT NULL,
    origin text,
    origin_turn text,
    maker_notebook text,
    maker_cell text,
    maker_ordinal integer,
    made_as text,
    settings text,
    archived boolean NOT NULL,
    owner text DEFAULT CURRENT_USER NOT NULL
);
ALTER TABLE ONLY public.conversation FORCE ROW LEVEL SECURITY;
CREATE TABLE public.failure (
    n bigint NOT NULL,
    id text NOT NULL,
    conversation text NOT NULL,
    parent text,
    record bytea NOT NULL,
    owner text DEFAULT CURRENT_USER NOT NULL
);
ALTER TABLE ONLY public.failure FORCE ROW LEVEL SECURITY;
CREATE SEQUENCE public.failure_n_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.failure_n_seq OWNED BY public.failure.n;
CREATE TABLE public.label (
    conversation text NOT NULL,
    name text NOT NULL,
    turn text NOT NULL,
    owner text DEFAULT CURRENT_USER NOT NULL
);
ALTER TABLE ONLY public.label FORCE ROW LEVEL SECURITY;
CREATE TABLE public.message (
    n bigint NOT NULL,
    turn bigint NOT NULL,
    role text NOT NULL,
    body bytea,
    blob bytea,
    owner text DEFAULT CURRENT_USER NOT NULL,
    CONSTRAINT number_of_turn CHECK (((n / 65536) = turn)),
    CONSTRAINT one_body CHECK (((body IS NULL) <> (blob IS NULL)))
);
ALTER TABLE ONLY public.message FORCE ROW LEVEL SECURITY;
CREATE TABLE public.notebook (
    id text NOT NULL,
    path text,
    conversation text,
    owner text DEFAULT CURRENT_USER NOT NULL
);
ALTER TABLE ONLY public.notebook FORCE ROW LEVEL SECURITY;
CREATE TABLE public."overlay" (
    n bigint NOT NULL,
    conversation text NOT NULL,
    anchor bigint,
    kind text NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    policy text NOT NULL,
    profile text NOT NULL,
    payload bytea NOT NULL,
    created double precision NOT NULL,
    owner text DEFAULT CURRENT_USER NOT NULL
);
ALTER TABLE ONLY public."overlay" FORCE ROW LEVEL SECURITY;
CREATE SEQUENCE public.overlay_n_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.overlay_n_seq OWNED BY public."overlay".n;
CREATE TABLE public.page (
    key bytea NOT NULL,
    png bytea NOT NULL,
    owner text DEFAULT CURRENT_USER NOT NULL
);
ALTER TABLE ONLY public.page FORCE ROW LEVEL SECURITY;
CREATE TABLE public.store (
    version integer NOT NULL
);
CREATE TABLE public.turn (
    n bigint NOT NULL,
    id text NOT NULL,
    conversation text NOT NULL,
    parent text,
    depth integer NOT NULL,
    messages integer NOT NULL,
    question text NOT NULL,
    title text NOT NULL,
    prompt bytea,
    model text NOT NULL,
    outcome text NOT NULL,
    input integer NOT NULL,
    output integer NOT NULL,
    cache_read integer NOT NULL,
    cache_write integer NOT NULL,
    cache_write_1h integer NOT NULL,
    cost double precision,
    seconds double precision NOT NULL,
    created double precision NOT NULL,
    maker_notebook text,
    maker_cell text,
    maker_ordinal integer,
    settings text,
    inherited text,
    context integer NOT NULL,
    "window" integer,
    stop_reason text,
    error text,
    owner text DEFAULT CURRENT_USER NOT NULL,
    CONSTRAINT depth_of_root CHECK (((parent IS NULL) = (depth = 1))),
    CONSTRAINT only_answered_turns_are_in_the_tree CHECK ((outcome = ANY (ARRAY['complete'::text, 'stopped'::text]))),
    CONSTRAINT span CHECK (((messages >= 1) AND (messages <= 65536)))
);
ALTER TABLE ONLY public.turn FORCE ROW LEVEL SECURITY;
CREATE SEQUENCE public.turn_n_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.turn_n_seq OWNED BY public.turn.n;
CREATE TABLE public.visit (
    seq bigint NOT NULL,
    conversation text NOT NULL,
    place text NOT NULL,
    turn text,
    owner text DEFAULT CURRENT_USER NOT NULL
);
ALTER TABLE ONLY public.visit FORCE ROW LEVEL SECURITY;
CREATE SEQUENCE public.visit_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.visit_seq_seq OWNED BY public.visit.seq;
CREATE TABLE public.words (
    turn bigint NOT NULL,
    words tsvector NOT NULL,
    owner text DEFAULT CURRENT_USER NOT NULL
);
ALTER TABLE ONLY public.words FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY public.checkpoint ALTER COLUMN n SET DEFAULT nextval('public.checkpoint_n_seq'::regclass);
ALTER TABLE ONLY public.failure ALTER COLUMN n SET DEFAULT nextval('public.failure_n_seq'::regclass);
ALTER TABLE ONLY public."overlay" ALTER COLUMN n SET DEFAULT nextval('public.overlay_n_seq'::regclass);
ALTER TABLE ONLY public.turn ALTER COLUMN n SET DEFAULT nextval('public.turn_n_seq'::regclass);
ALTER TABLE ONLY public.visit ALTER COLUMN seq SET DEFAULT nextval('public.visit_seq_seq'::regclass);
INSERT INTO public.checkpoint VALUES (1, 'jrsn7x8t', 'start', 65537, 'aaaaaa', false, 1796086054.6209, 'user');
INSERT INTO public.checkpoint VALUES (2, 'hpk7a72p', 'start', 262145, 'wj4tew', false, 1796086054.6209, 'user');
INSERT INTO public.checkpoint VALUES (3, 'enpqhdqb', 'start', 393217, 'mcn09f', false, 1796086054.6209, 'user');
INSERT INTO public.conversation VALUES ('jrsn7x8t', 'notes', 'first', 1796086054.5818079, 1796086054.6095169, 'aaaaaa', 8, 3, 0, NULL, NULL, NULL, NULL, NULL, 'notes', NULL, false, 'user');
INSERT INTO public.conversation VALUES ('hpk7a72p', 'copy', 'first', 1796086054.6316028, 1796086054.6316028, 'tfmvy9', 1, 2, 0, 'jrsn7x8t', 'bbbbbb', NULL, NULL, NULL, 'copy', NULL, false, 'user');
INSERT INTO public.conversation VALUES ('zwa81gdg', 'empty', '', 1796086054.6487114, 1796086054.6487114, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, 'empty', NULL, false, 'user');
INSERT INTO public.conversation VALUES ('enpqhdqb', 'brought', 'first', 1796086054.5818079, 1796086054.672152, 'mcn09f', 2, 3, 0, NULL, NULL, NULL, NULL, NULL, 'brought', NULL, false, 'user');
INSERT INTO public.failure VALUES (1, 'ffffff', 'jrsn7x8t', 'bbbbbb', '\x7b226964223a22666666666666222c22636f6e766572736174696f6e223a226a72736e37783874222c22706172656e74223a22626262626262222c2270726f6d7074223a2263616d6520746f206e6f7468696e67222c226d65737361676573223a5b5d2c226d6f64656c223a226f66666c696e65222c226f7574636f6d65223a226661696c6564222c227573616765223a7b22696e707574223a31302c226f7574707574223a352c2263616368655f72656164223a302c2263616368655f7772697465223a302c2263616368655f77726974655f3168223a307d2c22636f7374223a6e756c6c2c227365636f6e6473223a302e302c2263726561746564223a302e302c226d616b6572223a7b226e6f7465626f6f6b223a226e6f7465626f6f6b2d31222c2263656c6c223a2263656c6c2d31222c226f7264696e616c223a307d2c2273657474696e6773223a7b7d2c22696e68657269746564223a7b7d2c22636f6e74657874223a302c2277696e646f77223a6e756c6c2c2273746f705f726561736f6e223a6e756c6c2c226572726f72223a226f7665726c6f61646564227d', 'user');
INSERT INTO public.failure VALUES (2, 'k69bnh', 'enpqhdqb', 'ftvt23', '\x7b226964223a226b3639626e68222c22636f6e766572736174696f6e223a22656e707168647162222c22706172656e74223a22667476743233222c2270726f6d7074223a2263616d6520746f206e6f7468696e67222c226d65737361676573223a5b5d2c226d6f64656c223a226f66666c696e65222c226f7574636f6d65223a226661696c6564222c227573616765223a7b22696e707574223a31302c226f7574707574223a352c2263616368655f72656164223a302c2263616368655f7772697465223a302c2263616368655f77726974655f3168223a307d2c22636f7374223a6e756c6c2c227365636f6e6473223a302e302c2263726561746564223a302e302c226d616b6572223a7b226e6f7465626f6f6b223a226e6f7465626f6f6b2d31222c2263656c6c223a2263656c6c2d31222c226f7264696e616c223a307d2c2273657474696e6773223a7b7d2c22696e68657269746564223a7b7d2c22636f6e74657874223a302c2277696e646f77223a6e756c6c2c2273746f705f726561736f6e223a6e756c6c2c226572726f72223a226f7665726c6f61646564227d', 'user');
INSERT INTO public.label VALUES ('jrsn7x8t', 'kept', 'bbbbbb', 'user');
INSERT INTO public.label VALUES ('hpk7a72p', 'kept', 'tfmvy9', 'user');
INSERT INTO public.label VALUES ('enpqhdqb', 'kept', 'ftvt23', 'user');
INSERT INTO public.message VALUES (65536, 1, 'user', '\x5b7b2274797065223a2274657874222c2274657874223a226669727374227d5d', NULL, 'user');
INSERT INTO public.message VALUES (65537, 1, 'assistant', '\x5b7b2274797065223a2274657874222c2274657874223a22416e20616e737765722e227d5d', NULL, 'user');
INSERT INTO public.message VALUES (131072, 2, 'user', '\x5b7b2274797065223a2274657874222c2274657874223a227365636f6e64227d5d', NULL, 'user');
INSERT INTO public.message VALUES (131073, 2, 'assistant', '\x5b7b2274797065223a22746f6f6c5f757365222c226964223a2263616c6c5f31222c226e616d65223a226c6f6f6b222c22696e707574223a7b7d7d5d', NULL, 'user');
INSERT INTO public.message VALUES (131074, 2, 'user', '\x5b7b2274797065223a22746f6f6c5f726573756c74222c22746f6f6c5f7573655f6964223a2263616c6c5f31222c22636f6e74656e74223a22666f756e64227d5d', NULL, 'user');
INSERT INTO public.message VALUES (131075, 2, 'assistant', '\x5b7b2274797065223a2274657874222c2274657874223a22416e20616e737765722e227d5d', NULL, 'user');
INSERT INTO public.message VALUES (196608, 3, 'user', '\x5b7b2274797065223a2274657874222c2274657874223a22626573696465227d5d', NULL, 'user');
INSERT INTO public.message VALUES (196609, 3, 'assistant', '\x5b7b2274797065223a2274657874222c2274657874223a22416e20616e737765722e227d5d', NULL, 'user');
INSERT INTO public.message VALUES (262144, 4, 'user', '\x5b7b2274797065223a2274657874222c2274657874223a226669727374227d5d', NULL, 'user');
INSERT INTO public.message VALUES (262145, 4, 'assistant', '\x5b7b2274797065223a2274657874222c2274657874223a22416e20616e737765722e227d5d', NULL, 'user');
INSERT INTO public.message VALUES (327680, 5, 'user', '\x5b7b2274797065223a2274657874222c2274657874223a227365636f6e64227d5d', NULL, 'user');
INSERT INTO public.message VALUES (327681, 5, 'assistant', '\x5b7b2274797065223a22746f6f6c5f757365222c226964223a2263616c6c5f31222c226e616d65223a226c6f6f6b222c22696e707574223a7b7d7d5d', NULL, 'user');
INSERT INTO public.message VALUES (327682, 5, 'user', '\x5b7b2274797065223a22746f6f6c5f726573756c74222c22746f6f6c5f7573655f6964223a2263616c6c5f31222c22636f6e74656e74223a22666f756e64227d5d', NULL, 'user');
INSERT INTO public.message VALUES (327683, 5, 'assistant', '\x5b7b2274797065223a2274657874222c2274657874223a22416e20616e737765722e227d5d', NULL, 'user');
INSERT INTO public.message VALUES (393216, 6, 'user', '\x5b7b2274797065223a2274657874222c2274657874223a226669727374227d5d', NULL, 'user');
INSERT INTO public.message VALUES (393217, 6, 'assistant', '\x5b7b2274797065223a2274657874222c2274657874223a22416e20616e737765722e227d5d', NULL, 'user');
INSERT INTO public.message VALUES (458752, 7, 'user', '\x5b7b2274797065223a2274657874222c2274657874223a227365636f6e64227d5d', NULL, 'user');
INSERT INTO public.message VALUES (458753, 7, 'assistant', '\x5b7b2274797065223a22746f6f6c5f757365222c226964223a2263616c6c5f31222c226e616d65223a226c6f6f6b222c22696e707574223a7b7d7d5d', NULL, 'user');
INSERT INTO public.message VALUES (458754, 7, 'user', '\x5b7b2274797065223a22746f6f6c5f726573756c74222c22746f6f6c5f7573655f6964223a2263616c6c5f31222c22636f6e74656e74223a22666f756e64227d5d', NULL, 'user');
INSERT INTO public.message VALUES (458755, 7, 'assistant', '\x5b7b2274797065223a2274657874222c2274657874223a22416e20616e737765722e227d5d', NULL, 'user');
INSERT INTO public.message VALUES (524288, 8, 'user', '\x5b7b2274797065223a2274657874222c2274657874223a22626573696465227d5d', NULL, 'user');
INSERT INTO public.message VALUES (524289, 8, 'assistant', '\x5b7b2274797065223a2274657874222c2274657874223a22416e20616e737765722e227d5d', NULL, 'user');
INSERT INTO public.notebook VALUES ('nb1', '/a.ipynb', 'jrsn7x8t', 'user');
INSERT INTO public.store VALUES (1);
INSERT INTO public.turn VALUES (1, 'aaaaaa', 'jrsn7x8t', NULL, 1, 2, '0eef90a8ccfd44eb', 'first', NULL, 'offline', 'complete', 10, 5, 0, 0, 0, NULL, 0, 0, 'notebook-1', 'cell-1', 0, NULL, NULL, 0, NULL, NULL, NULL, 'user');
INSERT INTO public.turn VALUES (2, 'bbbbbb', 'jrsn7x8t', 'aaaaaa', 2, 4, '55e49ffe83d31630', 'second', NULL, 'offline', 'complete', 10, 5, 0, 0, 0, NULL, 0, 0, 'notebook-1', 'cell-1', 0, NULL, NULL, 0, NULL, NULL, NULL, 'user');
INSERT INTO public.turn VALUES (3, 'cccccc', 'jrsn7x8t', 'aaaaaa', 2, 2, '9e8507d8dc9ecbe0', 'beside', NULL, 'offline', 'complete', 10, 5, 0, 0, 0, NULL, 0, 0, 'notebook-1', 'cell-1', 0, NULL, NULL, 0, NULL, NULL, NULL, 'user');
INSERT INTO public.turn VALUES (4, 'wj4tew', 'hpk7a72p', NULL, 1, 2, '0eef90a8ccfd44eb', 'first', NULL, 'offline', 'complete', 10, 5, 0, 0, 0, NULL, 0, 0, 'notebook-1', 'cell-1', 0, NULL, NULL, 0, NULL, NULL, NULL, 'user');
INSERT INTO public.turn VALUES (5, 'tfmvy9', 'hpk7a72p', 'wj4tew', 2, 4, '55e49ffe83d31630', 'second', NULL, 'offline', 'complete', 10, 5, 0, 0, 0, NULL, 0, 0, 'notebook-1', 'cell-1', 0, NULL, NULL, 0, NULL, NULL, NULL, 'user');
INSERT INTO public.turn VALUES (6, 'mcn09f', 'enpqhdqb', NULL, 1, 2, '0eef90a8ccfd44eb', 'first', NULL, 'offline', 'complete', 10, 5, 0, 0, 0, NULL, 0, 0, 'notebook-1', 'cell-1', 0, NULL, NULL, 0, NULL, NULL, NULL, 'user');
INSERT INTO public.turn VALUES (7, 'ftvt23', 'enpqhdqb', 'mcn09f', 2, 4, '55e49ffe83d31630', 'second', NULL, 'offline', 'complete', 10, 5, 0, 0, 0, NULL, 0, 0, 'notebook-1', 'cell-1', 0, NULL, NULL, 0, NULL, NULL, NULL, 'user');
INSERT INTO public.turn VALUES (8, 'yhrrj9', 'enpqhdqb', 'mcn09f', 2, 2, '9e8507d8dc9ecbe0', 'beside', NULL, 'offline', 'complete', 10, 5, 0, 0, 0, NULL, 0, 0, 'notebook-1', 'cell-1', 0, NULL, NULL, 0, NULL, NULL, NULL, 'user');
INSERT INTO public.visit VALUES (1, 'jrsn7x8t', 'nb1', 'aaaaaa', 'user');
INSERT INTO public.visit VALUES (2, 'jrsn7x8t', 'nb1', 'bbbbbb', 'user');
INSERT INTO public.visit VALUES (3, 'jrsn7x8t', 'nb1', 'cccccc', 'user');
INSERT INTO public.visit VALUES (4, 'jrsn7x8t', 'nb1', 'bbbbbb', 'user');
INSERT INTO public.visit VALUES (5, 'jrsn7x8t', 'nb2', 'aaaaaa', 'user');
INSERT INTO public.visit VALUES (6, 'hpk7a72p', 'nb3', 'tfmvy9', 'user');
INSERT INTO public.words VALUES (1, '''an'' ''answer'' ''first''', 'user');
INSERT INTO public.words VALUES (2, '''an'' ''answer'' ''found'' ''look'' ''second''', 'user');
INSERT INTO public.words VALUES (3, '''an'' ''answer'' ''beside''', 'user');
INSERT INTO public.words VALUES (6, '''an'' ''answer'' ''first''', 'user');
INSERT INTO public.words VALUES (7, '''an'' ''answer'' ''found'' ''look'' ''second''', 'user');
INSERT INTO public.words VALUES (8, '''an'' ''answer'' ''beside''', 'user');
SELECT pg_catalog.setval('public.checkpoint_n_seq', 3, true);
SELECT pg_catalog.setval('public.failure_n_seq', 2, true);
SELECT pg_catalog.setval('public.overlay_n_seq', 1, false);
SELECT pg_catalog.setval('public.turn_n_seq', 8, true);
SELECT pg_catalog.setval('public.visit_seq_seq', 6, true);
ALTER TABLE ONLY public.blob
    ADD CONSTRAINT blob_pkey PRIMARY KEY (owner, sha);
ALTER TABLE ONLY public.checkpoint
    ADD CONSTRAINT checkpoint_pkey PRIMARY KEY (n);
ALTER TABLE ONLY public.conversation
    ADD CONSTRAINT conversation_owner_name_key UNIQUE (owner, name);
ALTER TABLE ONLY public.conversation
    ADD CONSTRAINT conversation_pkey PRIMARY KEY (owner, id);
ALTER TABLE ONLY public.failure
    ADD CONSTRAINT failure_owner_id_key UNIQUE (owner, id);
ALTER TABLE ONLY public.failure
    ADD CONSTRAINT failure_pkey PRIMARY KEY (n);
ALTER TABLE ONLY public.label
    ADD CONSTRAINT label_pkey PRIMARY KEY (owner, conversation, name);
ALTER TABLE ONLY public.message
    ADD CONSTRAINT message_pkey PRIMARY KEY (n);
ALTER TABLE ONLY public.notebook
    ADD CONSTRAINT notebook_pkey PRIMARY KEY (owner, id);
ALTER TABLE ONLY public."overlay"
    ADD CONSTRAINT overlay_pkey PRIMARY KEY (n);
ALTER TABLE ONLY public.page
    ADD CONSTRAINT page_pkey PRIMARY KEY (owner, key);
ALTER TABLE ONLY public.turn
    ADD CONSTRAINT turn_owner_id_key UNIQUE (owner, id);
ALTER TABLE ONLY public.turn
    ADD CONSTRAINT turn_pkey PRIMARY KEY (n);
ALTER TABLE ONLY public.visit
    ADD CONSTRAINT visit_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.words
    ADD CONSTRAINT words_pkey PRIMARY KEY (turn);
CREATE INDEX conversation_by_maker ON public.conversation USING btree (owner, maker_cell);
CREATE INDEX conversation_by_time ON public.conversation USING btree (owner, archived, updated);
CREATE INDEX ix_checkpoint_conversation ON public.checkpoint USING btree (owner, conversation);
CREATE INDEX ix_failure_conversation ON public.failure USING btree (owner, conversation);
CREATE INDEX ix_notebook_path ON public.notebook USING btree (owner, path);
CREATE INDEX ix_overlay_conversation ON public."overlay" USING btree (owner, conversation);
CREATE INDEX turn_by_cell ON public.turn USING btree (owner, maker_cell, maker_notebook);
CREATE INDEX turn_by_parent ON public.turn USING btree (owner, conversation, parent);
CREATE INDEX visit_by_place ON public.visit USING btree (owner, conversation, place, seq);
CREATE INDEX words_of_owner ON public.words USING btree (owner, turn);
CREATE TRIGGER blob_never_changes BEFORE UPDATE ON public.blob FOR EACH ROW EXECUTE FUNCTION public.blob_never_changes();
CREATE TRIGGER message_never_changes BEFORE UPDATE ON public.message FOR EACH ROW EXECUTE FUNCTION public.message_never_changes();
CREATE TRIGGER turn_never_changes BEFORE UPDATE ON public.turn FOR EACH ROW EXECUTE FUNCTION public.turn_never_changes();
ALTER TABLE ONLY public.checkpoint
    ADD CONSTRAINT checkpoint_conversation FOREIGN KEY (owner, conversation) REFERENCES public.conversation(owner, id);
ALTER TABLE ONLY public.checkpoint
    ADD CONSTRAINT checkpoint_message FOREIGN KEY (message) REFERENCES public.message(n);
ALTER TABLE ONLY public.checkpoint
    ADD CONSTRAINT checkpoint_turn FOREIGN KEY (owner, turn) REFERENCES public.turn(owner, id);
ALTER TABLE ONLY public.conversation
    ADD CONSTRAINT conversation_origin FOREIGN KEY (owner, origin) REFERENCES public.conversation(owner, id);
ALTER TABLE ONLY public.conversation
    ADD CONSTRAINT conversation_origin_turn FOREIGN KEY (owner, origin_turn) REFERENCES public.turn(owner, id);
ALTER TABLE ONLY public.conversation
    ADD CONSTRAINT conversation_tip FOREIGN KEY (owner, tip) REFERENCES public.turn(owner, id);
ALTER TABLE ONLY public.failure
    ADD CONSTRAINT failure_conversation FOREIGN KEY (owner, conversation) REFERENCES public.conversation(owner, id);
ALTER TABLE ONLY public.failure
    ADD CONSTRAINT failure_parent FOREIGN KEY (owner, parent) REFERENCES public.turn(owner, id);
ALTER TABLE ONLY public.label
    ADD CONSTRAINT label_conversation FOREIGN KEY (owner, conversation) REFERENCES public.conversation(owner, id);
ALTER TABLE ONLY public.label
    ADD CONSTRAINT label_turn FOREIGN KEY (owner, turn) REFERENCES public.turn(owner, id);
ALTER TABLE ONLY public.message
    ADD CONSTRAINT message_blob FOREIGN KEY (owner, blob) REFERENCES public.blob(owner, sha);
ALTER TABLE ONLY public.message
    ADD CONSTRAINT message_turn FOREIGN KEY (turn) REFERENCES public.turn(n);
ALTER TABLE ONLY public.notebook
    ADD CONSTRAINT notebook_conversation FOREIGN KEY (owner, conversation) REFERENCES public.conversation(owner, id);
ALTER TABLE ONLY public."overlay"
    ADD CONSTRAINT overlay_anchor FOREIGN KEY (anchor) REFERENCES public.message(n);
ALTER TABLE ONLY public."overlay"
    ADD CONSTRAINT overlay_conversation FOREIGN KEY (owner, conversation) REFERENCES public.conversation(owner, id);
ALTER TABLE ONLY public."overlay"
    ADD CONSTRAINT overlay_first FOREIGN KEY (first) REFERENCES public.message(n);
ALTER TABLE ONLY public."overlay"
    ADD CONSTRAINT overlay_last FOREIGN KEY (last) REFERENCES public.message(n);
ALTER TABLE ONLY public.turn
    ADD CONSTRAINT turn_conversation FOREIGN KEY (owner, conversation) REFERENCES public.conversation(owner, id);
ALTER TABLE ONLY public.turn
    ADD CONSTRAINT turn_parent FOREIGN KEY (owner, parent) REFERENCES public.turn(owner, id);
ALTER TABLE ONLY public.visit
    ADD CONSTRAINT visit_conversation FOREIGN KEY (owner, conversation) REFERENCES public.conversation(owner, id);
ALTER TABLE ONLY public.visit
    ADD CONSTRAINT visit_turn FOREIGN KEY (owner, turn) REFERENCES public.turn(owner, id);
ALTER TABLE ONLY public.words
    ADD CONSTRAINT words_turn_fkey FOREIGN KEY (turn) REFERENCES public.turn(n);
ALTER TABLE public.blob ENABLE ROW LEVEL SECURITY;
CREATE POLICY blob_is_its_owners ON public.blob USING ((owner = CURRENT_USER)) WITH CHECK ((owner = CURRENT_USER));
ALTER TABLE public.checkpoint ENABLE ROW LEVEL SECURITY;
CREATE POLICY checkpoint_is_its_owners ON public.checkpoint USING ((owner = CURRENT_USER)) WITH CHECK ((owner = CURRENT_USER));
ALTER TABLE public.conversation ENABLE ROW LEVEL SECURITY;
CREATE POLICY conversation_is_its_owners ON public.conversation USING ((owner = CURRENT_USER)) WITH CHECK ((owner = CURRENT_USER));
ALTER TABLE public.failure ENABLE ROW LEVEL SECURITY;
CREATE POLICY failure_is_its_owners ON public.failure USING ((owner = CURRENT_USER)) WITH CHECK ((owner = CURRENT_USER));
ALTER TABLE public.label ENABLE ROW LEVEL SECURITY;
CREATE POLICY label_is_its_owners ON public.label USING ((owner = CURRENT_USER)) WITH CHECK ((owner = CURRENT_USER));
ALTER TABLE public.message ENABLE ROW LEVEL SECURITY;
CREATE POLICY message_is_its_owners ON public.message USING ((owner = CURRENT_USER)) WITH CHECK ((owner = CURRENT_USER));
ALTER TABLE public.notebook ENABLE ROW LEVEL SECURITY;
CREATE POLICY notebook_is_its_owners ON public.notebook USING ((owner = CURRENT_USER)) WITH CHECK ((owner = CURRENT_USER));
ALTER TABLE public."overlay" ENABLE ROW LEVEL SECURITY;
CREATE POLICY overlay_is_its_owners ON public."overlay" USING ((owner = CURRENT_USER)) WITH CHECK ((owner = CURRENT_USER));
ALTER TABLE public.page ENABLE ROW LEVEL SECURITY;
CREATE POLICY page_is_its_owners ON public.page USING ((owner = CURRENT_USER)) WITH CHECK ((owner = CURRENT_USER));
ALTER TABLE public.turn ENABLE ROW LEVEL SECURITY;
CREATE POLICY turn_is_its_owners ON public.turn USING ((owner = CURRENT_USER)) WITH CHECK ((owner = CURRENT_USER));
ALTER TABLE public.visit ENABLE ROW LEVEL SECURITY;
CREATE POLICY visit_is_its_owners ON public.visit USING ((owner = CURRENT_USER)) WITH CHECK ((owner = CURRENT_USER));
ALTER TABLE public.words ENABLE ROW LEVEL SECURITY;
CREATE POLICY words_is_its_owners ON public.words USING ((owner = CURRENT_USER)) WITH CHECK ((owner = CURRENT_USER));
