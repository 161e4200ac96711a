"""The store on a Citus cluster compared with the store on one server: same documents, same questions."""
