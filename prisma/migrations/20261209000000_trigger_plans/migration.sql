-- A session plans the statements of a trigger once. A plan for small tables would read large ones as a whole until
-- they are analyzed, so triggers take indexes from the start.
DO $$
DECLARE
  trigger_function regprocedure;
BEGIN
  FOR trigger_function IN
    SELECT p.oid FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
    WHERE l.lanname = 'plpgsql' AND p.pronamespace = 'public'::regnamespace AND p.prosrc ~ 'FROM'
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off', trigger_function);
  END LOOP;
END $$;
